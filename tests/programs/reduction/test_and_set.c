/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 nsb=4 dpor=4 source=4 optimal=4 epor=4 epor-sh=4
 * variant: -DN=3 nsb=60 dpor=60 source=60 epor=60 epor-sh=60
 *
 * A test-and-set lock: who finds it taken waits, and looks again when somebody has changed it. Rounds in vain are not repeated.
 * With three threads `optimal` has 60 executions too, and cuts two runs: whether an update changes anything elsewhere is not known.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int x;

static void *work(void *unused) {
    while (atomic_flag_test_and_set(&lock))
        ;
    x++;
    atomic_flag_clear(&lock);
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
