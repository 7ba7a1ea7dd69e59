/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Mutexes with a protocol answer as glibc's do: an ordinary thread can not lock one with a priority ceiling, and glibc
 * remembers the attempt.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t made(int protocol, int type, int ceiling) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    if (ceiling)
        assert(pthread_mutexattr_setprioceiling(&attributes, ceiling) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    return mutex;
}

int main(void) {
    int ceiling = -1;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
    assert(pthread_mutex_getprioceiling(&plain, &ceiling) == EINVAL);
    assert(pthread_mutex_setprioceiling(&plain, 5, &ceiling) == EINVAL);

    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_t robust;
    assert(pthread_mutex_init(&robust, &attributes) == ENOTSUP);

    pthread_mutex_t limited = made(PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_NORMAL, 10);
    assert(pthread_mutex_getprioceiling(&limited, &ceiling) == 0 && ceiling == 10);
    assert(pthread_mutex_setprioceiling(&limited, 0, &ceiling) == EINVAL);
    assert(pthread_mutex_setprioceiling(&limited, 100, &ceiling) == EINVAL);
    assert(pthread_mutex_setprioceiling(&limited, 20, &ceiling) == 0 && ceiling == 10);
    assert(pthread_mutex_lock(&limited) == EINVAL);
    assert(pthread_mutex_trylock(&limited) == 0); /* the priority is thought to be raised already */
    assert(pthread_mutex_trylock(&limited) == EBUSY);
    assert(pthread_mutex_unlock(&limited) == 0);
    assert(pthread_mutex_destroy(&limited) == 0);

    pthread_mutex_t inheriting = made(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ERRORCHECK, 0);
    assert(pthread_mutex_lock(&inheriting) == 0);
    assert(pthread_mutex_trylock(&inheriting) == EDEADLK);
    assert(pthread_mutex_lock(&inheriting) == EDEADLK);
    assert(pthread_mutex_unlock(&inheriting) == 0);
    assert(pthread_mutex_getprioceiling(&inheriting, &ceiling) == EINVAL);
    return 0;
}
