/* rscale-test
 * verdict: bug
 * scope: sync
 * kind: hang
 * options: --hang-limit 300ms
 *
 * Spins on a plain flag, in the order in which it is not set yet: no scheduling point in the loop.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        ;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
