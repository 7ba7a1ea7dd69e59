/* rscale-test
 * verdict: clean
 *
 * The barrier may be destroyed by the first that leaves: all have arrived.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *meets(void *unused) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        assert(pthread_barrier_destroy(&barrier) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meets, NULL);
    meets(NULL);
    pthread_join(thread, NULL);
    return 0;
}
