/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 nsb=11 source=11 optimal=11 epor=11 epor-sh=11
 * variant: -DN=3 nsb=28 source=28 optimal=28 epor=28 epor-sh=28
 * variant: -DN=4 source=103 optimal=103 epor=103 epor-sh=103
 * variant: -DN=5 source=311 optimal=311 epor=311 epor-sh=311
 * variant: -DN=7 optimal=3165 epor=3165 epor-sh=3165
 *
 * Seed 004, figure 4b: processes in a ring, each sets its successor's variable while its own is zero. Each statement is one
 * access, and so one step by itself.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

volatile int x[N];

static void *process(void *number) {
    long i = (long)number;
    if (x[i] == 0)
        x[(i + 1) % N] = 1;
    if (x[i] == 0)
        x[(i + 1) % N] = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, process, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
