/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The same within one cache line: the number is there as a whole or not at all.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static char memory[128] __attribute__((aligned(64)));

static void *writes(void *unused)
{
    __asm__ volatile("movq %0, (%1)" : : "r"(0x100000001), "r"(memory + 56) : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    uint32_t high = *(volatile uint32_t *)(memory + 60);
    uint32_t low = *(volatile uint32_t *)(memory + 56);
    assert(low || !high);
    pthread_join(other, NULL);
    return 0;
}
