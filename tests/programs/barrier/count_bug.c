/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The barrier counts main, which does not come.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *meets(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, meets, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
