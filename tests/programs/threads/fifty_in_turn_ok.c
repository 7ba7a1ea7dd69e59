/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * outcomes: 0:"1275\n"
 *
 * Fifty threads, one after the other: one schedule. By hand.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int total;

static void *add(void *number) {
    total += (int)(long)number;
    return NULL;
}

int main(void) {
    for (long i = 1; i <= 50; i++) {
        pthread_t thread;
        assert(pthread_create(&thread, NULL, add, (void *)i) == 0);
        assert(pthread_join(thread, NULL) == 0);
    }
    printf("%d\n", total);
    return 0;
}
