/* rscale-test
 * verdict: clean
 * options: --invariant ordered
 * scope: all
 *
 * Only one thread ever writes the two variables, so nothing but the invariant makes their accesses scheduling points: it
 * holds between the two writes.
 */
#include <pthread.h>

static volatile int first, second;

int ordered(void) { return first >= second; }

static void *work(void *unused)
{
    (void)unused;
    first = 1;
    second = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
