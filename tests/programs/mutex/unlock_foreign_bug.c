/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a mutex that
 *
 * A mutex used as a semaphore: one thread locks, the other unlocks.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused) {
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
