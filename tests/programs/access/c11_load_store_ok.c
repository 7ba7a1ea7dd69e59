/* rscale-test
 * verdict: clean
 * scope: all
 *
 * fetch_add is one step.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *adds(void *unused)
{
    atomic_fetch_add(&counter, 1);
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
