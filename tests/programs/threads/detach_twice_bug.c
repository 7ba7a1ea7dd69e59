/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: detach of a thread that was detached before
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t go;

static void *waits(void *unused) {
    sem_wait(&go);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_detach(thread);
    pthread_detach(thread);
    sem_post(&go);
    return 0;
}
