/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 * options: --filters nsb,lcd
 *
 * Both wait for the other one to go first.
 */
#include <pthread.h>
#include <stddef.h>

static volatile int first, second;

static void *waits(void *unused) {
    while (!first) {
    }
    second = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, waits, NULL);
    while (!second) {
    }
    first = 1;
    pthread_join(other, NULL);
    return 0;
}
