/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * flags: -latomic
 *
 * Atomic loads and stores of sixteen bytes are calls of libatomic, whose code is watched like the program's: the sum of both
 * threads may get lost between them.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    long low, high;
};
static _Atomic struct pair pair;

static void *adds(void *unused)
{
    struct pair seen = atomic_load(&pair);
    seen.low++;
    seen.high++;
    atomic_store(&pair, seen);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    struct pair sum = atomic_load(&pair);
    assert(sum.low == 2 && sum.high == 2);
    return 0;
}
