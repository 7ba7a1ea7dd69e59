/* rscale-test
 * verdict: clean
 * scope: all
 * options: --filters lcd
 * outcomes: 0:"7\n"
 *
 * A loop that changes nothing: without a filter against local cycles every number of rounds would be a schedule.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int flag;
static volatile int value;

static void *sets(void *unused) {
    value = 7;
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, sets, NULL);
    while (!flag) {
    }
    printf("%d\n", value);
    pthread_join(other, NULL);
    return 0;
}
