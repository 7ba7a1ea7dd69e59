/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Counts are lost, but executions in which that happens are not looked at.
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
    rscale_assume(count == 2);
    assert(count == 2);
    return 0;
}
