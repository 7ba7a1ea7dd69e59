/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The accesses are in functions that are called through pointers; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(int unused)
{
    return shared + unused;
}

static int set(int value)
{
    return shared = value;
}

static int (*volatile const functions[])(int) = {get, set};

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    functions[1](functions[0](0) + 1);
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
