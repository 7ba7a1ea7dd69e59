/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * executions: nsb=8 dpor=8 source=8 optimal=8 epor=8 epor-sh=8
 * runs: optimal=8
 * outcomes: 0:"111 1\n" 0:"111 2\n" 0:"211 1\n" 0:"211 2\n" 0:"221 1\n" 0:"221 2\n" 0:"222 1\n" 0:"222 2\n"
 *
 * A thread reads three times, another one writes, and the exchange of a third one fails wherever it comes: the write has four
 * places among the reads, and comes before the exchange or after it. The yields make the first execution one that has the
 * exchange behind the write, so that what it would come to elsewhere has to be guessed. What `optimal` guesses wrongly must
 * not keep it from anything, and is not begun in vain.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int number = 2;
static int found;

static void *write_it(void *unused) {
    atomic_fetch_sub(&number, 1);
    return unused;
}

static void *exchange_it(void *unused) {
    int expected = 7;
    atomic_compare_exchange_strong(&number, &expected, 9);
    found = expected;
    return unused;
}

int main(void) {
    pthread_t writer, exchanger;
    int read[3];
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_create(&exchanger, NULL, exchange_it, NULL);
    for (int i = 0; i < 3; i++) {
        read[i] = number;
        sched_yield();
    }
    pthread_join(writer, NULL);
    pthread_join(exchanger, NULL);
    printf("%d%d%d %d\n", read[0], read[1], read[2], found);
    return 0;
}
