/* rscale-test
 * verdict: clean
 * options: --invariant sees_nobody
 *
 * An invariant runs as a thread of its own: it sees no thread's variables, and no thread sees what it does to its own.
 */
#include <pthread.h>
#include <stdlib.h>

static __thread volatile int own;
static volatile int shared;

int sees_nobody(void)
{
    own += 10;
    return own == 10 + 0 * shared;
}

static void *work(void *unused)
{
    own = 1;
    shared = 1;
    if (own != 1)
        abort();
    return unused;
}

int main(void)
{
    pthread_t thread;
    own = 2;
    pthread_create(&thread, NULL, work, NULL);
    own++;
    pthread_join(thread, NULL);
    return own == 3 ? 0 : 1;
}
