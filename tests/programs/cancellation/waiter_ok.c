/* rscale-test
 * verdict: clean
 * outcomes: 0:"came" 0:""
 * executions: optimal=5 source=5 dpor=5
 *
 * A thread waits for a semaphore and is cancelled there, unless the post comes first: what made its step possible is the
 * request, but the post would have done so, too.
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t waits, posted;

static void *wait(void *unused) {
    sem_post(&waits);
    sem_wait(&posted);
    if (write(1, "came", 4) != 4) _exit(1);
    return unused;
}

static void *post(void *unused) {
    sem_post(&posted);
    return unused;
}

int main(void) {
    pthread_t waiter, poster;
    sem_init(&waits, 0, 0);
    sem_init(&posted, 0, 0);
    pthread_create(&waiter, 0, wait, 0);
    pthread_create(&poster, 0, post, 0);
    sem_wait(&waits);
    pthread_cancel(waiter);
    pthread_join(waiter, 0);
    pthread_join(poster, 0);
    return 0;
}
