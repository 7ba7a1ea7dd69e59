/* rscale-test
 * verdict: clean
 *
 * An error-checking mutex returns errors where a normal one misbehaves.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *other(void *unused) {
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    assert(pthread_mutex_timedlock(&lock, &now) == EDEADLK);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    assert(pthread_create(&thread, NULL, other, NULL) == 0);
    assert(pthread_join(thread, NULL) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
