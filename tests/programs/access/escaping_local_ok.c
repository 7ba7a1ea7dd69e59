/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Counts in a variable on the stack of main, whose address the other thread has; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *argument)
{
    int *counter = argument;
    pthread_mutex_lock(&lock);
    *counter += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t other;
    int counter = 0;
    pthread_create(&other, NULL, adds, &counter);
    adds(&counter);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
