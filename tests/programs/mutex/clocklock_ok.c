/* rscale-test
 * verdict: clean
 *
 * Timed locks by either clock; times that are no times are refused, by a lock that would have to wait.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *waits(void *unused) {
    struct timespec past = {1, 0}, invalid = {1, 2000000000}, soon;
    assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_mutex_clocklock(&lock, CLOCK_REALTIME, &past) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&lock, &invalid) == EINVAL);
    assert(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec = 0;
    soon.tv_sec += 1;
    assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {1, 0};
    assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past) == 0);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
