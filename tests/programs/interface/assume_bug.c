/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * message: count == 2 failed
 *
 * The assumption leaves the executions in which a count is lost.
 */
#include "../../../scheduler/include/rscale.h"
#include <assert.h>
#include <pthread.h>

static volatile int count;

static void *counts(void *unused) {
    count++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    counts(NULL);
    pthread_join(thread, NULL);
    rscale_assume(count == 1);
    assert(count == 2);
    return 0;
}
