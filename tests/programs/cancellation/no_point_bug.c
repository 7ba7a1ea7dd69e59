/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: result == PTHREAD_CANCELED
 *
 * A mutex lock is no cancellation point.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, locks, NULL);
    pthread_cancel(thread);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
