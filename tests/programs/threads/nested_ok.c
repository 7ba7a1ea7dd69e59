/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * outcomes: 0:"6\n"
 *
 * Threads that create and join threads, three deep: each waits for its child, so there is one schedule. By hand.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *sum(void *argument) {
    long depth = (long)(intptr_t)argument;
    pthread_t child;
    void *below = NULL;
    if (depth > 1) {
        assert(pthread_create(&child, NULL, sum, (void *)(depth - 1)) == 0);
        assert(pthread_join(child, &below) == 0);
    }
    return (void *)((intptr_t)below + depth);
}

int main(void) {
    printf("%ld\n", (long)(intptr_t)sum((void *)3));
    return 0;
}
