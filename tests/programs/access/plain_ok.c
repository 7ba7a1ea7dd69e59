/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Reads a global variable and writes it back; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = shared;
    shared = seen + 1;
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
