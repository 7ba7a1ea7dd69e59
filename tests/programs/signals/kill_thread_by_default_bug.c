/* rscale-test
 * verdict: bug
 * kind: crash
 * threads-engine: no
 *
 * Nobody handles the signal that a thread sends to another one, which has nothing left to do but to end: the process
 * ends, wherever that one is.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t begun;

static void *end(void *unused) {
    sem_post(&begun);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    pthread_create(&thread, 0, end, 0);
    sem_wait(&begun);
    pthread_kill(thread, SIGTERM);
    pthread_join(thread, 0);
    return 0;
}
