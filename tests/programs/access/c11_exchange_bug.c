/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Both threads find the flag clear: a load and a store are not test-and-set.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool taken;
static atomic_int owners;

static void *adds(void *unused)
{
    if (!atomic_load(&taken)) {
        atomic_store(&taken, 1);
        owners++;
    }
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
