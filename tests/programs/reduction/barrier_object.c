/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 dpor=2 source=2 optimal=2 epor=2
 * variant: -DN=4 dpor=4 source=4 optimal=4 epor=4
 * variant: -DN=3 -DROUNDS=2 dpor=9 source=9 optimal=9 epor=9
 *
 * Threads at a barrier of the library: only who comes last makes a difference, in each round.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_barrier_t barrier;
static volatile long last[ROUNDS];

static void *arrive(void *number) {
    for (int i = 0; i < ROUNDS; i++)
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            last[i] = (long)number;
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, arrive, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
