/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Relaxed loads and stores are scheduling points like all others.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic short counter;

static void *adds(void *unused)
{
    short seen = atomic_load_explicit(&counter, memory_order_relaxed);
    atomic_store_explicit(&counter, seen + 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
