/* rscale-test
 * verdict: clean
 * scope: all
 *
 * lock bts is one step.
 */
#include <assert.h>
#include <pthread.h>

static unsigned long words[2];

static void *adds(void *unused)
{
    __asm__ volatile("lock btsq %1, %0" : "+m"(words) : "r"(unused ? 70L : 71L) : "cc", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(&other);
    pthread_join(other, NULL);
    assert(words[1] == (3UL << 6));
    return 0;
}
