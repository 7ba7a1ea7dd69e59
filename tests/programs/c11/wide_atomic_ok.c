/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -latomic
 *
 * The same with a loop around a compare-exchange.
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
    struct pair seen = atomic_load(&pair), next;
    do
        next = (struct pair){seen.low + 1, seen.high + 1};
    while (!atomic_compare_exchange_strong(&pair, &seen, next));
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
