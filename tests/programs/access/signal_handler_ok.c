/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The access is in a signal handler; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
    shared = shared + (number == SIGUSR1);
}

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    raise(SIGUSR1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    signal(SIGUSR1, handler);
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared == 2);
    return 0;
}
