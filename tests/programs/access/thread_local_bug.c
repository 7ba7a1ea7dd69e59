/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A thread-local variable of main, whose address the other thread has.
 */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine;

static void *adds(void *theirs)
{
    int *counter = theirs;
    ++*counter;
    mine += counter != &mine;
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, &mine);
    adds(&mine);
    pthread_join(other, NULL);
    assert(mine == 2);
    return 0;
}
