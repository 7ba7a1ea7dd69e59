/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A spin lock by test-and-set.
 */
#include <assert.h>
#include <pthread.h>

static char taken;
static int counter;

static void *adds(void *unused)
{
    while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE))
        ;
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
