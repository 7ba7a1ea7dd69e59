/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: !ready
 *
 * Takes a time-out for proof that nothing has happened.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
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
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        if (pthread_cond_timedwait(&changed, &lock, &deadline) == ETIMEDOUT) {
            assert(!ready);
            break;
        }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
