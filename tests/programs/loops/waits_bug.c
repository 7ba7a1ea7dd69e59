/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: value == 7
 * scope: all
 * options: --filters nsb,lcd,superstep
 *
 * As waits_ok.c, but the flag is set too early.
 */
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static volatile int value;

static void *sets(void *unused) {
    flag = 1;
    value = 7;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, sets, NULL);
    while (!flag) {
    }
    assert(value == 7);
    pthread_join(other, NULL);
    return 0;
}
