/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=3 -DTIMES=1 source=6 optimal=6 epor=6 epor-sh=6
 * variant: -DN=5 -DTIMES=1 source=30 optimal=30 epor=30 epor-sh=30
 * variant: -DN=10 -DTIMES=1 source=1022 optimal=1022 epor=1022 epor-sh=1022
 * variant: -DN=3 -DTIMES=2 source=90 optimal=90 epor=90 epor-sh=90
 * variant: -DN=4 -DTIMES=2 source=786 optimal=786 epor=786 epor-sh=786
 *
 * Seed 004, figures 4a and 4c: processes in a ring, each copies its variable to its successor's, in one step with two
 * accesses. A ring of N has N pairs of neighbours, each in one order or the other, but not all of them one way round: 2^N - 2.
 * scripts/traces has the large ones: 131070 for N=17, 38466 for N=6 twice.
 */
#include <pthread.h>
#include <stddef.h>

#include "../../../scheduler/include/rscale.h"

#ifndef N
#define N 2
#endif
#ifndef TIMES
#define TIMES 1
#endif

volatile int x[N];

static void *process(void *number) {
    long i = (long)number;
    for (int round = 0; round < TIMES; round++) {
        rscale_atomic_begin();
        x[(i + 1) % N] = x[i];
        rscale_atomic_end();
    }
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
