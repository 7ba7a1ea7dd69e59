/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: rscale_assert failed
 * location: atomic_bug.c:31
 *
 * Reads in one atomic section and writes in the next: another thread may come between.
 */
#include "../../../scheduler/include/rscale.h"
#include <pthread.h>

static int count;

static void *counts(void *unused) {
    rscale_atomic_begin();
    int seen = count;
    rscale_atomic_end();
    rscale_atomic_begin();
    count = seen + 1;
    rscale_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    counts(NULL);
    pthread_join(thread, NULL);
    /* No finding is made of this outside rscale. */
    rscale_yield();
    rscale_assert(count == 2);
    return 0;
}
