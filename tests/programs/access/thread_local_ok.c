/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A thread-local variable of main, whose address the other thread has; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *theirs)
{
    int *counter = theirs;
    pthread_mutex_lock(&lock);
    ++*counter;
    mine += counter != &mine;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, &mine);
    adds(&mine);
    pthread_join(other, NULL);
    assert(mine == 2);
    return 0;
}
