/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n"
 *
 * To cancel a thread that has ended but was not joined is no error and does nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = &thread;
    pthread_create(&thread, NULL, nothing, NULL);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    printf("%ld\n", (long)(intptr_t)result);
    return 0;
}
