/* rscale-test
 * verdict: clean
 * scope: all
 * options: --filters nsb,lcd
 * outcomes: 0:"seen\n" 0:"gave up\n"
 *
 * A loop that counts its rounds in memory of its own makes progress: cut as a local cycle, it would never give up.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int flag;

static void *sets(void *unused) {
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    int *rounds = calloc(1, sizeof *rounds);
    pthread_create(&other, NULL, sets, NULL);
    while (!flag && ++*rounds < 4) {
    }
    puts(*rounds < 4 ? "seen" : "gave up");
    pthread_join(other, NULL);
    free(rounds);
    return 0;
}
