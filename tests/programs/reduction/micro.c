/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 -DTIMES=1 nsb=8 source=8 optimal=8
 *
 * Seed 000, micro.c: N threads increment one variable TIMES times each, not atomically, and then look at it.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

volatile int x;

static void *increment(void *unused) {
    for (int i = 0; i < TIMES; i++)
        x++;
    assert(x > 0);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
