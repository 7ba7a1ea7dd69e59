/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Counts in a variable on the stack of main, whose address the other thread has.
 */
#include <assert.h>
#include <pthread.h>


static void *adds(void *argument)
{
    int *counter = argument;
    *counter += 1;
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
