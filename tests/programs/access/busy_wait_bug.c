/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Waits for a flag, which is set before the data is.
 */
#include <assert.h>
#include <pthread.h>

static volatile int ready;
static volatile int data;

static void *sends(void *unused)
{
    ready = 1;
    data = 42;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, sends, NULL);
    while (!ready)
        ;
    assert(data == 42);
    pthread_join(other, NULL);
    return 0;
}
