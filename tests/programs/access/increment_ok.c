/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Counts with ++: one instruction or three, but never one step; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
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
