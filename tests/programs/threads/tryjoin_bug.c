/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: pthread_tryjoin_np(thread, NULL) == 0
 *
 * Takes it that the thread has ended.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_create(&thread, NULL, nothing, NULL) == 0);
    sleep(1);
    assert(pthread_tryjoin_np(thread, NULL) == 0);
    return 0;
}
