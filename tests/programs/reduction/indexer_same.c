/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=3 nsb=6 dpor=6 source=6 optimal=6 epor=6 epor-sh=6
 * variant: -DN=5 dpor=120 source=120 optimal=120
 *
 * Seed 000, indexermod.c: threads look for a free place in a table, all from its beginning, with compare-and-exchange: N!
 * orders.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int table[N];

static void *take(void *unused) {
    for (int i = 0, zero = 0; !atomic_compare_exchange_strong(&table[i], &zero, 1); i++, zero = 0)
        ;
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
