/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 *
 * Two threads draw from one sequence: who comes second gets another number.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused) {
    rand();
    return unused;
}

int main(void) {
    pthread_t other;
    srand(1);
    const int first = rand();
    srand(1);
    pthread_create(&other, NULL, draw, NULL);
    const int mine = rand();
    pthread_join(other, NULL);
    assert(mine == first);
    return 0;
}
