/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The accesses are at the end of a recursion; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
    pthread_mutex_lock(&lock);
    volatile int result = descend(50, &shared);
    (void)result;
    pthread_mutex_unlock(&lock);
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
