/* rscale-test
 * verdict: incomplete
 * status: 3
 * scope: all
 * options: --memory tso --filters bpor=1
 * outcomes: 0:"0\n" 0:"2\n"
 *
 * A thread that waits for its own stores can go on: they become visible by themselves. So the 1 needs two preemptions, as it
 * does under sequential consistency: main is stopped behind the creation, and the writer before its exchange.
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
