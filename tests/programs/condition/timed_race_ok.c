/* rscale-test
 * verdict: clean
 * outcomes: 0:"ready\n" 0:"woken ready\n" 0:"time-out ready\n" 0:"time-out not ready\n"
 *
 * A time-out races with the signal. After a time-out the flag may be set all the same.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline;
    const char *how = "";
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    if (!ready) {
        int error = pthread_cond_timedwait(&changed, &lock, &deadline);
        assert(error == 0 || error == ETIMEDOUT);
        assert(error != 0 || ready);
        how = error == 0 ? "woken " : "time-out ";
    }
    printf("%s%s\n", how, ready ? "ready" : "not ready");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
