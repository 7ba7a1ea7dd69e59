/* rscale-test
 * verdict: clean
 * outcomes: 0:"not there, ended\n" 0:"waited, cancelled\n" 0:"waited, ended\n"
 *
 * The only waiter is signalled, and then cancelled before it can have its mutex again. glibc may find it still in its
 * wait, or on its way out of it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, waits;

static void unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    while (!ready) {
        waits = 1;
        pthread_cond_wait(&changed, &lock);
    }
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    int has_waited = waits;
    pthread_cond_signal(&changed);
    pthread_cancel(thread);
    pthread_mutex_unlock(&lock);
    assert(pthread_join(thread, &result) == 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    printf("%s, %s\n", has_waited ? "waited" : "not there", result == PTHREAD_CANCELED ? "cancelled" : "ended");
    return 0;
}
