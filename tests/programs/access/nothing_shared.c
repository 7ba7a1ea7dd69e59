/* rscale-test
 * verdict: clean
 * scope: all
 * executions: nsb=1
 *
 * Each thread works on memory of its own: global, on its stack, on the heap and thread-local. There is
 * one execution.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, WORDS = 100 };

static long sums[THREADS];
static _Thread_local long own[4];
static char texts[THREADS][10]; /* next to each other in the same words */

static void *works(void *argument)
{
    long *sum = argument;
    int stack[WORDS];
    int *heap = malloc(sizeof stack);
    for (int i = 0; i < WORDS; i++)
        stack[i] = i;
    memcpy(heap, stack, sizeof stack);
    for (int i = 0; i < WORDS; i++) {
        *sum += heap[i];
        own[i % 4]++;
    }
    memset(texts[sum - sums], 'x', sizeof texts[0]);
    *sum += own[2];
    free(heap);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, works, &sums[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert(sums[i] == 4975);
    return 0;
}
