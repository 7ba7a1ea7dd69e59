/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Eight bytes are written and read at once.
 */
#include <assert.h>
#include <pthread.h>

static volatile double rate = 1.0;

static void *changes(void *unused)
{
    rate = 3.0;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    double seen = rate;
    pthread_join(other, NULL);
    assert(seen == 1.0 || seen == 3.0);
    return 0;
}
