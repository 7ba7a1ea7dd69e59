/* rscale-test
 * verdict: bug
 * kind: deadlock
 * scope: sync
 *
 * Two threads want what there is once, and main waits for the first of them only. If the second one gets it, main waits
 * for ever. Otherwise the second one waits when the program ends: a step that is not possible there must be tried before.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t once;

static void *take(void *unused) {
    (void)unused;
    sem_wait(&once);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&once, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
