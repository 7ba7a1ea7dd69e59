/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n" 0:"returned\n"
 *
 * An asynchronous cancellation can strike while the thread waits for a mutex, which is no cancellation point.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_mutex_lock(&lock);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, locks, NULL);
    pthread_mutex_unlock(&lock);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == NULL || result == PTHREAD_CANCELED);
    printf("%s\n", result ? "cancelled" : "returned");
    return 0;
}
