/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Counts with ++: one instruction or three, but never one step.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *adds(void *unused)
{
    counter++;
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
