/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n" 0:"returned\n"
 *
 * A computation that is cancelled only where it asks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *computes(void *unused) {
    for (int i = 0; i < 2; i++)
        pthread_testcancel();
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, computes, NULL);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == NULL || result == PTHREAD_CANCELED);
    printf("%s\n", result ? "cancelled" : "returned");
    return 0;
}
