/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: pthread_timedjoin_np(thread, NULL, &deadline) == 0
 *
 * An hour is always enough, or so one thinks.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *worker(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline;
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 3600;
    assert(pthread_timedjoin_np(thread, NULL, &deadline) == 0);
    return 0;
}
