/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0\n" 0:"1\n"
 *
 * A thread looks for the identifier of the next one, which the main thread may have stored by then or not.
 */
#include <pthread.h>
#include <stdio.h>

static volatile pthread_t threads[2];
static int is_there;

static void *looks(void *unused)
{
    is_there = threads[1] != 0;
    return unused;
}

static void *idles(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_create((pthread_t *)&threads[0], NULL, looks, NULL);
    pthread_create((pthread_t *)&threads[1], NULL, idles, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", is_there);
    return 0;
}
