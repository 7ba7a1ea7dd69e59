/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 *
 * Who comes second opens the door for both; but both may believe to be the first, and wait for ever.
 */
#include <assert.h>
#include <pthread.h>

static volatile int started[2];
static volatile int go;

static void *waits(void *argument)
{
    int me = argument != NULL;
    if (started[!me])
        go = 1;
    started[me] = 1;
    while (!go)
        ;
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, waits, (void *)&go);
    waits(NULL);
    pthread_join(other, NULL);
    return 0;
}
