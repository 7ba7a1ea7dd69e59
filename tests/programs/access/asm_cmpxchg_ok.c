/* rscale-test
 * verdict: clean
 * scope: all
 *
 * lock cmpxchg: one thread wins.
 */
#include <assert.h>
#include <pthread.h>

static int owner, winners;

static void *adds(void *unused)
{
    int seen = 0;
    __asm__ volatile("lock cmpxchgl %2, %0" : "+m"(owner), "+a"(seen) : "r"(1) : "cc");
    __atomic_fetch_add(&winners, seen == 0, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(winners == 1);
    return 0;
}
