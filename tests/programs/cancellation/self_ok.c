/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * A thread may cancel itself; deferred, it goes on to its next cancellation point. Ended threads can be cancelled in vain.
 */
#include <assert.h>
#include <pthread.h>

static int past_cancel;

static void *cancels_itself(void *unused) {
    assert(pthread_cancel(pthread_self()) == 0);
    past_cancel = 1;
    pthread_testcancel();
    assert(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, cancels_itself, NULL);
    assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED && past_cancel);
    return 0;
}
