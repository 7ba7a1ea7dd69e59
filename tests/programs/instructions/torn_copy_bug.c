/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A structure of sixteen bytes is read and written by one instruction each, but is not at a multiple of sixteen: half of
 * it may be new, and half of it old.
 */
#include <assert.h>
#include <pthread.h>

struct pair {
    long low, high;
};

static char memory[32] __attribute__((aligned(64)));
static struct pair *const shared = (struct pair *)(memory + 8);

static void *changes(void *unused)
{
    struct pair both = {1, 1};
    __asm__ volatile("movups (%0), %%xmm0; movups %%xmm0, (%1)" : : "r"(&both), "r"(shared) : "xmm0", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    struct pair seen;
    pthread_create(&other, NULL, changes, NULL);
    __asm__ volatile("movups (%0), %%xmm0; movups %%xmm0, (%1)" : : "r"(shared), "r"(&seen) : "xmm0", "memory");
    pthread_join(other, NULL);
    assert(seen.low == seen.high);
    return 0;
}
