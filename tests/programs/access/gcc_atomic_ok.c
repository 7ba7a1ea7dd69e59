/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Sets bits with one atomic or.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint64_t bits;

static void *adds(void *bit)
{
    __atomic_fetch_or(&bits, (uint64_t)bit, __ATOMIC_ACQ_REL);
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
