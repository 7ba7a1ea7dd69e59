/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n" 0:"timed out\n"
 *
 * A cancellation races with the time-out of a condition wait. Either way the mutex is unlocked; whoever wins, once.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int handled;

static void unlock(void *unused) {
    (void)unused;
    handled++;
    pthread_mutex_unlock(&lock);
}

static void *waits(void *unused) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    assert(pthread_cond_timedwait(&never, &lock, &deadline) == ETIMEDOUT);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_cancel(thread);
    assert(pthread_join(thread, &result) == 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    assert(handled == (result == PTHREAD_CANCELED));
    printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "timed out");
    return 0;
}
