/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * The accesses are in functions that are called through pointers.
 */
#include <assert.h>
#include <pthread.h>

static int shared;

static int get(int unused)
{
    return shared + unused;
}

static int set(int value)
{
    return shared = value;
}

static int (*volatile const functions[])(int) = {get, set};

static void *adds(void *unused)
{
    functions[1](functions[0](0) + 1);
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
