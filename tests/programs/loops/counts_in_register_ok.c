/* rscale-test
 * verdict: clean
 * scope: all
 * options: --filters nsb,lcd,superstep
 * outcomes: 0:"seen\n" 0:"gave up\n"
 *
 * As counts_on_heap_ok.c; optimised, the count is in a register and nowhere else.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int flag;

static void *sets(void *unused) {
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, sets, NULL);
    int rounds = 0;
    while (!flag && ++rounds < 4) {
    }
    puts(rounds < 4 ? "seen" : "gave up");
    pthread_join(other, NULL);
    return 0;
}
