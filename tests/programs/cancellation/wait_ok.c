/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n" 0:"cancelled handled\n"
 *
 * A thread is cancelled in a condition wait: it gets the mutex back, its handler unlocks it. It may also be cancelled
 * before it waits, at the same call, with the mutex held just so; or before it has the mutex: lock is no
 * cancellation point, so the handler runs in any case once the wait is reached.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int handled, waiting;

static void unlock(void *mutex) {
    handled = 1;
    assert(pthread_mutex_unlock(mutex) == 0);
}

static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cleanup_push(unlock, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_mutex_lock(&lock);
    int was_waiting = waiting;
    pthread_mutex_unlock(&lock);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == PTHREAD_CANCELED && handled);
    assert(pthread_mutex_trylock(&lock) == 0);
    printf("cancelled%s\n", was_waiting ? " handled" : "");
    return 0;
}
