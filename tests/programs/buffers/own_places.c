/* rscale-test
 * verdict: clean
 * scope: all
 * options: --memory tso --buffer 1
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 0\n" 0:"1 1\n"
 *
 * Stores to places that no other thread accesses take no room in a buffer: the one to `mine` does not wait until the one to
 * `x` is visible, so both threads can read 0.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x, y, mine;

static void *first(void *seen)
{
    x = 1;
    mine = 1;
    *(int *)seen = y;
    return NULL;
}

static void *second(void *seen)
{
    y = 1;
    *(int *)seen = x;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int seen[2];
    pthread_create(&threads[0], NULL, first, &seen[0]);
    pthread_create(&threads[1], NULL, second, &seen[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d %d\n", seen[0], seen[1]);
    return 0;
}
