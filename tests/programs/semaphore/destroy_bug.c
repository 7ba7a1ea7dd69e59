/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: semaphore
 *
 * Destroyed while the thread may wait on it.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t go, started;

static void *waits(void *unused) {
    sem_post(&started);
    sem_wait(&go);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&go, 0, 0);
    sem_init(&started, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    sem_wait(&started);
    sem_destroy(&go);
    return 0;
}
