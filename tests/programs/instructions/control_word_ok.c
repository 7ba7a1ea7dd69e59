/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 *
 * A thread that has nothing in the upper halves of its vector registers goes on behind one that has: how it rounds, and that
 * its divisions do not trap, stays as it is.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int first, second;

static unsigned control(void)
{
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word;
}

static void *fills(void *unused)
{
    __asm__ volatile("vpcmpeqd %%xmm5, %%xmm5, %%xmm5; vinsertf128 $1, %%xmm5, %%ymm5, %%ymm5\n"
                     "movl $1, %0; movl %1, %%eax; movl %%eax, %1; movl %0, %%eax"
                     : "+m"(first), "+m"(second) : : "rax", "xmm5", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    unsigned before = control();
    pthread_create(&other, NULL, fills, NULL);
    first = first + 1;
    second = second + 1;
    first = first + 1;
    assert(control() == before);
    pthread_join(other, NULL);
    return 0;
}
