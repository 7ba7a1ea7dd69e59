/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 1\n" 0:"1 2\n" 0:"2 1\n" 0:"2 2\n"
 *
 * A thread sends signals to another one while it holds what that waits for: a read-write lock, a semaphore. Each of
 * them may be taken by the one or the other first.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static pthread_rwlock_t locks = PTHREAD_RWLOCK_INITIALIZER;
static sem_t place;
static int first[2];

static void handles(int unused) {
    (void)unused;
}

static void comes(int number, int who) {
    if (first[number] == 0)
        first[number] = who;
}

static void works(int who, pthread_t *other) {
    pthread_rwlock_wrlock(&locks);
    comes(0, who);
    if (other)
        pthread_kill(*other, SIGUSR1);
    pthread_rwlock_unlock(&locks);
    sem_wait(&place);
    comes(1, who);
    if (other)
        pthread_kill(*other, SIGUSR1);
    sem_post(&place);
}

static void *second(void *unused) {
    works(2, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handles);
    sem_init(&place, 0, 1);
    pthread_create(&thread, NULL, second, NULL);
    works(1, &thread);
    pthread_join(thread, NULL);
    printf("%d %d\n", first[0], first[1]);
    return 0;
}
