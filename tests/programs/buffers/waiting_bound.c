/* rscale-test
 * verdict: incomplete
 * status: 3
 * scope: all
 * options: --memory tso --filters bpor=1
 * outcomes: 0:"0\n" 0:"1\n" 0:"2\n"
 *
 * A thread that waits for its stores has let others run, even if these do nothing before the store is visible. So one
 * preemption is enough to see the 1: main is stopped behind the creation, the writer waits before its exchange, and main looks
 * once the 1 is visible.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int shared;

static void *write_twice(void *unused)
{
    shared = 1;
    __atomic_exchange_n(&shared, 2, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    pthread_t writer;
    pthread_create(&writer, NULL, write_twice, NULL);
    int seen = shared;
    pthread_join(writer, NULL);
    printf("%d\n", seen);
    return 0;
}
