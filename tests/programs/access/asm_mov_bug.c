/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Loads and stores with mov in inline assembly.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *adds(void *unused)
{
    __asm__ volatile("movl %0, %%eax; addl $1, %%eax; movl %%eax, %0" : "+m"(counter) : : "eax", "cc");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
