/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 nsb=4 dpor=4 source=4 optimal=4 epor=4 epor-sh=4
 * variant: -DN=3 nsb=72 dpor=72 source=72 optimal=72 epor=72 epor-sh=72
 *
 * A ticket lock. Whether a thread has seen all that it can see depends on what it has read, and on nothing that the shim leaves in
 * registers: source and dpor lost traces when it did.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int next, now;
static int x;

static void *work(void *unused) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&now) != mine)
        ;
    x++;
    atomic_store(&now, mine + 1);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
