/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * The access is in a signal handler.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile int shared;

static void handler(int number)
{
    shared = shared + (number == SIGUSR1);
}

static void *adds(void *unused)
{
    raise(SIGUSR1);
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
