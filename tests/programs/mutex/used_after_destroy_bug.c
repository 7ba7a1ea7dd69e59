/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: use of an object after it was destroyed
 *
 * Main takes the thread's first use for the last.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t lock;
static sem_t done, again;

static void *user(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sem_post(&done);
    sem_wait(&again);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, NULL);
    sem_init(&done, 0, 0);
    sem_init(&again, 0, 0);
    pthread_create(&thread, NULL, user, NULL);
    sem_wait(&done);
    pthread_mutex_destroy(&lock);
    sem_post(&again);
    pthread_join(thread, NULL);
    return 0;
}
