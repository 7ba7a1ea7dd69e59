/* rscale-test
 * verdict: clean
 * scope: all
 * executions: nsb=1 optimal=1
 *
 * Each thread has a sequence of its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused) {
    unsigned seed = 1;
    rand_r(&seed);
    return unused;
}

int main(void) {
    pthread_t other;
    unsigned seed = 1, again = 1;
    pthread_create(&other, NULL, draw, NULL);
    const int mine = rand_r(&seed);
    pthread_join(other, NULL);
    assert(mine == rand_r(&again));
    return 0;
}
