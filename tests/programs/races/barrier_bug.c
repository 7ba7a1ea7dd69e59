/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to data
 * options: --races
 *
 * Both accesses lie between the same two rounds of the barrier: the one in the next round comes too late for them.
 */
#include <pthread.h>

static pthread_barrier_t barrier;
static volatile int data;

static void *make(void *unused) {
    pthread_barrier_wait(&barrier);
    data = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *use(void *unused) {
    pthread_barrier_wait(&barrier);
    int seen = data;
    pthread_barrier_wait(&barrier);
    return seen > 1 ? &barrier : unused;
}

int main(void) {
    pthread_t first, second;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&first, 0, make, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
