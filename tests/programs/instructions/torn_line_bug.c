/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A word that lies on two cache lines is written in two steps, and others see it when half of it is written.
 */
#include <assert.h>
#include <pthread.h>

enum { START = 60 };

static char memory[128] __attribute__((aligned(64)));

static void *writes(void *unused)
{
    __asm__ volatile("movq %0, (%1)" : : "r"(0x0000000200000001), "r"(memory + START) : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    int low = *(volatile int *)(memory + START);
    int high = *(volatile int *)(memory + START + 4);
    pthread_join(other, NULL);
    assert(low == 0 || high == 2);
    return 0;
}
