/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Every way to sleep: at least as long as asked, by every clock; wrong times are refused; time never goes back.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock) {
    struct timespec time;
    assert(clock_gettime(clock, &time) == 0);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void) {
    const long long millisecond = 1000000;
    struct timespec time = {0, 5 * millisecond}, invalid = {0, 1000000000}, negative = {-1, 0};
    struct timeval of_day;
    long long real = now(CLOCK_REALTIME), start = now(CLOCK_MONOTONIC), before = start;
    assert(nanosleep(&time, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - before >= 5 * millisecond);
    before = now(CLOCK_MONOTONIC);
    assert(usleep(5000) == 0);
    assert(now(CLOCK_MONOTONIC) - before >= 5 * millisecond);
    before = now(CLOCK_MONOTONIC);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - before >= 5 * millisecond);
    long long goal = now(CLOCK_MONOTONIC) + 5 * millisecond;
    struct timespec absolute = {goal / 1000000000, goal % 1000000000};
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= goal);
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, NULL) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &invalid, NULL) == EINVAL);
    assert(nanosleep(&invalid, NULL) == -1 && errno == EINVAL);
    assert(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    assert(now(CLOCK_REALTIME) - real >= 20 * millisecond);
    assert(gettimeofday(&of_day, NULL) == 0);
    assert(of_day.tv_sec * 1000000000LL + of_day.tv_usec * 1000LL >= real + 20 * millisecond - 1000);
    assert(now(CLOCK_MONOTONIC) >= before && sleep(0) == 0);
    return 0;
}
