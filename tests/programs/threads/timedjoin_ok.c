/* rscale-test
 * verdict: clean
 * outcomes: 0:"time-out joined\n" 0:"joined\n"
 *
 * A timed join may give up; the thread can be joined afterwards. A time in the past gives up too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *worker(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline;
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int error = pthread_timedjoin_np(thread, NULL, &deadline);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == ETIMEDOUT) {
        printf("time-out ");
        assert(pthread_join(thread, NULL) == 0);
    }
    printf("joined\n");
    return 0;
}
