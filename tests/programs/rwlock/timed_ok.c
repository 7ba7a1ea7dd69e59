/* rscale-test
 * verdict: clean
 * outcomes: 0:"wrote\n" 0:"time-out\n"
 *
 * A timed writer may give up while a reader is inside.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int error;

static void *writes(void *unused) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    error = pthread_rwlock_timedwrlock(&lock, &deadline);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%s\n", error ? "time-out" : "wrote");
    return 0;
}
