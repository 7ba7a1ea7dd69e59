/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A spin lock that looks and takes in two steps.
 */
#include <assert.h>
#include <pthread.h>

static char taken;
static int counter;

static void *adds(void *unused)
{
    while (__atomic_load_n(&taken, __ATOMIC_ACQUIRE))
        ;
    __atomic_store_n(&taken, 1, __ATOMIC_RELAXED);
    counter++;
    __atomic_clear(&taken, __ATOMIC_RELEASE);
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
