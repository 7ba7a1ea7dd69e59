/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Attributes keep what is valid and refuse what is not; the default type is the normal one.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    int value = -1;
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &value) == 0 && value == PTHREAD_MUTEX_DEFAULT);
    assert(pthread_mutexattr_getpshared(&attributes, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
    assert(pthread_mutexattr_setpshared(&attributes, 7) == EINVAL);
    assert(pthread_mutexattr_getrobust(&attributes, &value) == 0 && value == PTHREAD_MUTEX_STALLED);
    assert(pthread_mutexattr_setrobust(&attributes, 7) == EINVAL);
    assert(pthread_mutexattr_getprotocol(&attributes, &value) == 0 && value == PTHREAD_PRIO_NONE);
    assert(pthread_mutexattr_setprotocol(&attributes, 7) == EINVAL);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
    assert(pthread_mutex_init(&lock, &attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL) == 0);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
