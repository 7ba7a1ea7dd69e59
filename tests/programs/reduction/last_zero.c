/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=3 nsb=12 source=12 optimal=12
 * variant: -DN=4 nsb=28 source=28 optimal=28 epor=28 epor-sh=28
 * variant: -DN=5 source=64+33 optimal=64
 * variant: -DN=7 source=320 optimal=320 epor=320 epor-sh=320
 * variant: -DN=9 source=1536+5281 optimal=1536
 *
 * Seed 001, figure 5.1: thread j makes x[j] one more than x[j-1]; another one looks for the last zero, from the end of the
 * array. (N+3) * 2^(N-2) traces. Others count the runs of `source` that are cut, too: 97 for N = 5, 60073 for N = 11.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

volatile int x[N + 1];

static void *scan(void *unused) {
    int i = N;
    while (i > 0 && x[i] != 0)
        i--;
    return unused;
}

static void *add(void *number) {
    long j = (long)number;
    x[j] = x[j - 1] + 1;
    return NULL;
}

int main(void) {
    pthread_t scanner, adders[N];
    pthread_create(&scanner, NULL, scan, NULL);
    for (long j = 1; j <= N; j++)
        pthread_create(&adders[j - 1], NULL, add, (void *)j);
    pthread_join(scanner, NULL);
    for (int j = 0; j < N; j++)
        pthread_join(adders[j], NULL);
    return 0;
}
