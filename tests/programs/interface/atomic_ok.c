/* rscale-test
 * verdict: clean
 *
 * Both threads count up in atomic sections.
 */
#include "../../../scheduler/include/rscale.h"
#include <pthread.h>

static int count;

static void *counts(void *unused) {
    rscale_atomic_begin();
    count++;
    rscale_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    counts(NULL);
    pthread_join(thread, NULL);
    rscale_assert(count == 2);
    return 0;
}
