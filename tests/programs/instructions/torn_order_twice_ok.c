/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"00\n" 0:"01\n" 0:"02\n" 0:"10\n" 0:"11\n" 0:"12\n" 0:"20\n" 0:"21\n" 0:"22\n"
 *
 * Sixteen bytes that are not aligned are written twice, and read once: each half of what is read may be from before the
 * first, between both, or from behind the second, whatever the other half is.
 */
#include <pthread.h>
#include <stdio.h>

static char memory[64] __attribute__((aligned(64)));

static void move(const void *from, void *to)
{
    __asm__ volatile("movdqu (%0), %%xmm1; movdqu %%xmm1, (%1)" : : "r"(from), "r"(to) : "xmm1", "memory");
}

static void *writes(void *unused)
{
    static const long first[2] = {1, 1}, second[2] = {2, 2};
    move(first, memory + 8);
    move(second, memory + 8);
    return unused;
}

int main(void)
{
    pthread_t other;
    long pair[2];
    pthread_create(&other, NULL, writes, NULL);
    move(memory + 8, pair);
    pthread_join(other, NULL);
    printf("%ld%ld\n", pair[0], pair[1]);
    return 0;
}
