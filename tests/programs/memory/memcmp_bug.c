/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Two words are compared one after the other: another thread, which writes the first one first, may do so behind the
 * comparison of the first and before that of the second.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static long pair[2];
static const long second_alone[2] = {0, 1};
static volatile size_t size = sizeof pair;

static void *writes(void *unused)
{
    ((volatile long *)pair)[0] = 1;
    ((volatile long *)pair)[1] = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    int differs = memcmp(pair, second_alone, size);
    pthread_join(other, NULL);
    assert(differs);
    return 0;
}
