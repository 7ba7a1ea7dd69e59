/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A move in each direction: both threads may find the token.
 */
#include <assert.h>
#include <pthread.h>

static int token = 1, found;

static void *adds(void *unused)
{
    int mine = 0;
    __asm__ volatile("movl %0, %1; movl $0, %0" : "+m"(token), "=&r"(mine));
    __atomic_fetch_add(&found, mine, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(found == 1);
    return 0;
}
