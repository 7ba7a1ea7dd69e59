/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O0
 * outcomes: 0:"0 0 0 0\n" 0:"1 1 0 0\n" 0:"0 0 1 1\n" 0:"1 1 1 1\n"
 *
 * Thirty-two bytes are two times sixteen; registers and flags are what they would be.
 */
#include <pthread.h>
#include <stdio.h>

static long memory[4] __attribute__((aligned(64)));

static void *writes(void *unused)
{
    static const long ones[4] = {1, 1, 1, 1};
    __asm__ volatile("vmovups (%0), %%ymm3; vmovups %%ymm3, (%1)" : : "r"(ones), "r"(memory) : "xmm3", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    long seen[4], kept[4];
    char is_carry;
    pthread_create(&other, NULL, writes, NULL);
    __asm__ volatile("vpcmpeqd %%xmm7, %%xmm7, %%xmm7; vinsertf128 $1, %%xmm7, %%ymm7, %%ymm7; stc\n"
                     "vmovups (%1), %%ymm3; setc %0; vmovups %%ymm3, (%2); vmovups %%ymm7, (%3); vzeroupper"
                     : "=&r"(is_carry) : "r"(memory), "r"(seen), "r"(kept) : "xmm3", "xmm7", "memory", "cc");
    pthread_join(other, NULL);
    if (!is_carry || (kept[0] & kept[1] & kept[2] & kept[3]) != -1)
        puts("registers have changed");
    printf("%ld %ld %ld %ld\n", seen[0], seen[1], seen[2], seen[3]);
    return 0;
}
