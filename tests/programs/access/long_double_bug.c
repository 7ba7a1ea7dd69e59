/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A long double has ten bytes, and the processor promises eight at once: its exponent is seen without its mantissa.
 */
#include <assert.h>
#include <pthread.h>

static volatile long double rate = 1.0L;

static void *changes(void *unused)
{
    rate = 3.0L;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    long double seen = rate;
    pthread_join(other, NULL);
    assert(seen == 1.0L || seen == 3.0L);
    return 0;
}
