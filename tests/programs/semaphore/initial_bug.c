/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The turn belongs to nobody at the start.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t mine, yours;

static void *other(void *unused) {
    sem_wait(&yours);
    sem_post(&mine);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&mine, 0, 0);
    sem_init(&yours, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    sem_wait(&mine);
    sem_post(&yours);
    pthread_join(thread, NULL);
    return 0;
}
