/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Who comes second opens the door for both; at least one of them is second.
 */
#include <assert.h>
#include <pthread.h>

static volatile int started[2];
static volatile int go;

static void *waits(void *argument)
{
    int me = argument != NULL;
    started[me] = 1;
    if (started[!me])
        go = 1;
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
