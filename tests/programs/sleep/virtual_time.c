/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: hours < 3
 *
 * Three hours of sleep cost nothing and show on the clock. The assertion is there to fail: natively nobody waits for it.
 */
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    time_t start = time(NULL);
    long hours = 0;
    for (int i = 0; i < 3; i++) {
        assert(sleep(3600) == 0);
        hours = (time(NULL) - start) / 3600;
        assert(hours == i + 1);
    }
    assert(hours < 3);
    return 0;
}
