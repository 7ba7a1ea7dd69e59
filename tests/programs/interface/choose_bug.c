/* rscale-test
 * verdict: bug
 * kind: assertion
 *
 * The last number of one thread and the last of the other do not go together.
 */
#include "../../../scheduler/include/rscale.h"
#include <assert.h>
#include <pthread.h>

static unsigned chosen;

static void *chooses(void *unused) {
    chosen = rscale_choose(3);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, chooses, NULL);
    unsigned own = rscale_choose(2);
    pthread_join(thread, NULL);
    assert(chosen != 2 || own != 1);
    return 0;
}
