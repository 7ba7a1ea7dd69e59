/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"100000000\n" 0:"100000001\n" 0:"200000000\n" 0:"200000001\n"
 *
 * A sum over two cache lines is read in two steps and written in two: each half may get lost.
 */
#include <pthread.h>
#include <stdio.h>

static char memory[128] __attribute__((aligned(64)));
static long *const word = (long *)(memory + 60);

static void *adds(void *unused)
{
    __asm__ volatile("addq %0, (%1)" : : "r"(0x100000000), "r"(word) : "memory", "cc");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    __asm__ volatile("addq %0, (%1)" : : "r"(0x100000001), "r"(word) : "memory", "cc");
    pthread_join(other, NULL);
    printf("%lx\n", *(volatile long *)word);
    return 0;
}
