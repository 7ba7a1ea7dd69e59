/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to value: read at
 * options: --races
 *
 * There are two accesses in the whole program, and join comes too late for them.
 */
#include <pthread.h>

static volatile int value;

static void *work(void *unused) {
    value = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = value;
    pthread_join(thread, 0);
    return seen > 1;
}
