/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"00\n" 0:"01\n" 0:"10\n" 0:"11\n"
 *
 * Sixteen bytes that are not aligned are read in two steps, in any order: whatever comes first when two others are
 * written one after the other, all four pairs can be read.
 */
#include <pthread.h>
#include <stdio.h>

static char memory[64] __attribute__((aligned(64)));

static void *writes(void *unused)
{
    *(volatile long *)(memory + 16) = 1;
    *(volatile long *)(memory + 8) = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    long pair[2];
    pthread_create(&other, NULL, writes, NULL);
    __asm__ volatile("movdqu (%0), %%xmm1; movdqu %%xmm1, (%1)" : : "r"(memory + 8), "r"(pair) : "xmm1", "memory");
    pthread_join(other, NULL);
    printf("%ld%ld\n", pair[0], pair[1]);
    return 0;
}
