/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * xadd without lock is a read and a write.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *adds(void *unused)
{
    int one = 1;
    __asm__ volatile("xaddl %1, %0" : "+m"(counter), "+r"(one) : : "cc");
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
