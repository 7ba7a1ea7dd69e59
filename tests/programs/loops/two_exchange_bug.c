/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 *
 * As two_try_bug.c, with a lock made of an atomic exchange that changes nothing while it is taken.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;

static void *tries(void *unused) {
    while (atomic_exchange(&taken, 1)) {
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, tries, NULL);
    pthread_create(&second, NULL, tries, NULL);
    tries(NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
