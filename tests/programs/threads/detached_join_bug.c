/* rscale-test
 * verdict: bug
 * kind: misuse
 * options: --keep-going
 * executions: source=16 dpor=16
 *
 * Threads that detach themselves are detached once more, and joined, before and after their ends: a join that fails does
 * not wait for the end.
 */
#include <pthread.h>

static void *detach(void *unused) {
    pthread_detach(pthread_self());
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, detach, 0);
    pthread_create(&second, 0, detach, 0);
    pthread_detach(first);
    pthread_join(second, 0);
    return 0;
}
