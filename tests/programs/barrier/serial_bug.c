/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: serial == 0
 *
 * Takes the last to arrive for the same as the serial thread, and itself for never the last.
 */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meets(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meets, NULL);
    int serial = pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    assert(serial == 0);
    return 0;
}
