/* rscale-test
 * verdict: clean
 * scope: all
 * executions: nsb=1 optimal=1
 *
 * `gmtime_r` puts the time where it is told to.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void *other_time(void *unused) {
    const time_t moment = 1700000000;
    struct tm time;
    assert(gmtime_r(&moment, &time)->tm_year == 123);
    return unused;
}

int main(void) {
    pthread_t other;
    const time_t moment = 0;
    struct tm time;
    pthread_create(&other, NULL, other_time, NULL);
    assert(gmtime_r(&moment, &time)->tm_year == 70);
    pthread_join(other, NULL);
    return 0;
}
