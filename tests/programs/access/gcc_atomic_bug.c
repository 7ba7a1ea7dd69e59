/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Sets bits with a load and a store.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint64_t bits;

static void *adds(void *bit)
{
    uint64_t seen = __atomic_load_n(&bits, __ATOMIC_ACQUIRE);
    __atomic_store_n(&bits, seen | (uint64_t)bit, __ATOMIC_RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, (void *)(1UL << 40));
    adds((void *)1UL);
    pthread_join(other, NULL);
    assert(bits == ((1UL << 40) | 1));
    return 0;
}
