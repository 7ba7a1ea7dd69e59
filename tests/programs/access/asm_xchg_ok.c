/* rscale-test
 * verdict: clean
 * scope: all
 *
 * xchg is one step even without lock: one thread finds the token.
 */
#include <assert.h>
#include <pthread.h>

static int token = 1, found;

static void *adds(void *unused)
{
    int mine = 0;
    __asm__ volatile("xchgl %1, %0" : "+m"(token), "+r"(mine));
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
