/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n" 0:"woken\n"
 *
 * Two threads wait, one signal comes, and then one of the two is cancelled. If it was the one that was woken, it returns
 * from its wait. If not, the other one was: the signal is not lost with the thread that was cancelled.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static int waiters;

static void unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    waiters++;
    pthread_cond_signal(&arrived);
    pthread_cleanup_push(unlock, NULL);
    pthread_cond_wait(&go, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *result;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, NULL);
    pthread_mutex_lock(&lock);
    while (waiters < 2)
        pthread_cond_wait(&arrived, &lock);
    pthread_cond_signal(&go);
    pthread_cancel(threads[0]);
    pthread_mutex_unlock(&lock);
    assert(pthread_join(threads[0], &result) == 0);
    if (result != PTHREAD_CANCELED)
        pthread_cond_signal(&go);
    assert(pthread_join(threads[1], NULL) == 0);
    printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "woken");
    return 0;
}
