/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Nobody signals: timed waits end, with the mutex held and no earlier than asked; times that are none are refused.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void check(pthread_cond_t *cond, clockid_t clock) {
    struct timespec deadline, after;
    clock_gettime(clock, &deadline);
    deadline.tv_sec += 1;
    assert(pthread_cond_timedwait(cond, &lock, &deadline) == ETIMEDOUT);
    clock_gettime(clock, &after);
    assert(after.tv_sec >= deadline.tv_sec && after.tv_sec <= deadline.tv_sec + 1);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
}

int main(void) {
    pthread_condattr_t attributes;
    pthread_cond_t real = PTHREAD_COND_INITIALIZER, monotonic;
    struct timespec deadline, invalid = {1, -1};
    clockid_t clock = -1;
    assert(pthread_condattr_init(&attributes) == 0);
    assert(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_REALTIME);
    assert(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    assert(pthread_cond_init(&monotonic, &attributes) == 0);
    assert(pthread_condattr_destroy(&attributes) == 0);
    assert(pthread_mutex_lock(&lock) == 0);
    check(&real, CLOCK_REALTIME);
    check(&monotonic, CLOCK_MONOTONIC);
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    assert(pthread_cond_clockwait(&real, &lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert(pthread_cond_clockwait(&monotonic, &lock, CLOCK_REALTIME, &deadline) == ETIMEDOUT);
    assert(pthread_cond_timedwait(&real, &lock, &invalid) == EINVAL);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_cond_destroy(&real) == 0 && pthread_cond_destroy(&monotonic) == 0);
    return 0;
}
