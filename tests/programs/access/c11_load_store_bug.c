/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A load and a store are atomic, both together are not.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *adds(void *unused)
{
    atomic_store(&counter, atomic_load(&counter) + 1);
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
