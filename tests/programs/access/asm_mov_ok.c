/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Adds with a locked instruction.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *adds(void *unused)
{
    __asm__ volatile("lock addl $1, %0" : "+m"(counter) : : "cc");
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
