/* rscale-test
 * verdict: clean
 * scope: all
 * options: --filters lcd
 * outcomes: 0:"seen\n" 0:"gave up\n"
 *
 * As counts_on_heap_ok.c; the count is a variable in the frame of a function that the loop calls.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int flag;

static void *sets(void *unused) {
    flag = 1;
    return unused;
}

__attribute__((noinline)) static int looks(volatile int *rounds) {
    volatile int here = *rounds + 1;
    int seen = flag;
    *rounds = here;
    return seen;
}

__attribute__((noinline)) static int waits(void) {
    volatile int rounds = 0;
    while (!looks(&rounds))
        if (rounds == 4)
            return 0;
    return 1;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, sets, NULL);
    puts(waits() ? "seen" : "gave up");
    pthread_join(other, NULL);
    return 0;
}
