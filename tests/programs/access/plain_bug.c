/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Reads a global variable and writes it back.
 */
#include <assert.h>
#include <pthread.h>

static int shared;

static void *adds(void *unused)
{
    int seen = shared;
    shared = seen + 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared == 2);
    return 0;
}
