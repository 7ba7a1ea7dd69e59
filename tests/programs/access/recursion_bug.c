/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * The accesses are at the end of a recursion.
 */
#include <assert.h>
#include <pthread.h>

static int shared;

static __attribute__((noinline)) int descend(int depth, int *place)
{
    if (depth > 0)
        return descend(depth - 1, place) + 1;
    int seen = *place;
    *place = seen + 1;
    return seen;
}

static void *adds(void *unused)
{
    volatile int result = descend(50, &shared);
    (void)result;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared == 2);
    return 0;
}
