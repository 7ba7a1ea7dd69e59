/* rscale-test
 * verdict: clean
 * outcomes: 0:"locked\n" 0:"time-out\n"
 *
 * A timed lock may give up while another holds the mutex, and never when it is free.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gave_up;

static void *waits(void *unused) {
    struct timespec deadline, after;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 2;
    int error = pthread_mutex_timedlock(&lock, &deadline);
    clock_gettime(CLOCK_REALTIME, &after);
    if (error == 0) {
        assert(pthread_mutex_unlock(&lock) == 0);
    } else {
        assert(error == ETIMEDOUT && after.tv_sec >= deadline.tv_sec);
        gave_up = 1;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {1, 0};
    assert(pthread_mutex_timedlock(&lock, &past) == 0);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%s\n", gave_up ? "time-out" : "locked");
    return 0;
}
