/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Tries again when somebody else was faster.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long counter;

static void *adds(void *unused)
{
    long seen = atomic_load(&counter);
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1))
        ;
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
