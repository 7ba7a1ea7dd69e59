/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Only one thread finds the flag clear.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool taken;
static atomic_int owners;

static void *adds(void *unused)
{
    if (!atomic_exchange(&taken, 1))
        owners++;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(owners == 1);
    return 0;
}
