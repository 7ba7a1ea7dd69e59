/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A structure of sixteen bytes at a multiple of sixteen is read and written in one step each by processors with AVX.
 */
#include <assert.h>
#include <pthread.h>

struct pair {
    long low, high;
};

static char memory[32] __attribute__((aligned(64)));
static struct pair *const shared = (struct pair *)(memory + 16);

static void *changes(void *unused)
{
    struct pair both __attribute__((aligned(16))) = {1, 1};
    __asm__ volatile("movaps (%0), %%xmm0; movaps %%xmm0, (%1)" : : "r"(&both), "r"(shared) : "xmm0", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    struct pair seen __attribute__((aligned(16)));
    pthread_create(&other, NULL, changes, NULL);
    __asm__ volatile("movaps (%0), %%xmm0; movaps %%xmm0, (%1)" : : "r"(shared), "r"(&seen) : "xmm0", "memory");
    pthread_join(other, NULL);
    assert(seen.low == seen.high);
    return 0;
}
