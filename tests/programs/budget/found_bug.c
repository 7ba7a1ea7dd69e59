/* rscale-test
 * verdict: bug
 * kind: assertion
 * options: --max-steps 50
 * message: !ready
 *
 * A finding within the budget is a finding.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    for (;;) {
        pthread_mutex_lock(&lock);
        assert(!ready);
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return 0;
}
