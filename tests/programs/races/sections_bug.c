/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to counter
 * options: --races
 *
 * An annotated atomic section against an access outside of all of them.
 */
#include <pthread.h>
#include "../../../scheduler/include/rscale.h"

static volatile int counter;

static void *work(void *unused) {
    rscale_atomic_begin();
    counter = counter + 1;
    rscale_atomic_end();
    return unused;
}

static void *look(void *unused) {
    int seen = counter;
    return seen > 1 ? (void *)1 : unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, look, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
