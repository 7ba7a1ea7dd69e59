/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 *
 * `gmtime` has one place for all threads: one finds the time of the other.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void *other_time(void *unused) {
    const time_t moment = 1700000000;
    gmtime(&moment);
    return unused;
}

int main(void) {
    pthread_t other;
    const time_t moment = 0;
    pthread_create(&other, NULL, other_time, NULL);
    const struct tm *time = gmtime(&moment);
    assert(time->tm_year == 70);
    pthread_join(other, NULL);
    return 0;
}
