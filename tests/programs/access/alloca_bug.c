/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Counts in memory that was taken from the stack at run time.
 */
#include <assert.h>
#include <pthread.h>
#include <alloca.h>

static volatile int size = 48;

static void *adds(void *argument)
{
    int *counter = argument;
    int *own = alloca(size);
    own[11] = 1;
    counter[11] += own[11];
    return NULL;
}

int main(void)
{
    pthread_t other;
    int *counter = alloca(size);
    counter[11] = 0;
    pthread_create(&other, NULL, adds, counter);
    adds(counter);
    pthread_join(other, NULL);
    assert(counter[11] == 2);
    return 0;
}
