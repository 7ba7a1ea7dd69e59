/* rscale-test
 * verdict: bug
 * kind: misuse
 * scope: sync
 * options: --filters nsb,superstep
 *
 * A mutex on the heap may be freed while it is held: unlocking it is not quiet.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;
static sem_t locked;

static void *hold(void *unused) {
    pthread_mutex_lock(mutex);
    sem_post(&locked);
    pthread_mutex_unlock(mutex);
    return unused;
}

static void *throw_away(void *unused) {
    sem_wait(&locked);
    free(mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    sem_init(&locked, 0, 0);
    pthread_create(&threads[0], NULL, hold, NULL);
    pthread_create(&threads[1], NULL, throw_away, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
