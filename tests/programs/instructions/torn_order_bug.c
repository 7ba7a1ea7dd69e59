/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A number over two cache lines is written in two steps, and nobody says which half comes first: a thread that finds the
 * higher half may miss the lower one.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static char memory[128] __attribute__((aligned(64)));

static void *writes(void *unused)
{
    __asm__ volatile("movq %0, (%1)" : : "r"(0x100000001), "r"(memory + 60) : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    uint32_t high = *(volatile uint32_t *)(memory + 64);
    uint32_t low = *(volatile uint32_t *)(memory + 60);
    assert(low || !high);
    pthread_join(other, NULL);
    return 0;
}
