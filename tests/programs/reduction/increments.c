/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 -DTIMES=1 nsb=4 source=4 optimal=4
 * variant: -DN=2 -DTIMES=2 nsb=34 source=34 optimal=34 epor=34 epor-sh=34
 * variant: -DN=3 -DTIMES=1 nsb=36 source=36 optimal=36 epor=36 epor-sh=36
 * variant: -DN=3 -DTIMES=2 source=7134 optimal=7134 epor=7134 epor-sh=7134
 *
 * N threads increment one variable TIMES times each, not atomically: every load and every store is a step.
 */
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
