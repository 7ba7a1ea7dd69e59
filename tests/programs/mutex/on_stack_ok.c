/* rscale-test
 * verdict: clean
 * outcomes: 0:"3\n"
 *
 * Objects of different kinds at the same place on the stack, each made by assignment, none destroyed; and a mutex whose
 * memory is overwritten by a fresh initialiser.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static int rounds;

__attribute__((noinline)) static void with_mutex(int type) {
    union {
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
    } object;
    if (type == 0) {
        object.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        assert(pthread_mutex_lock(&object.mutex) == 0);
        assert(pthread_mutex_trylock(&object.mutex) == EBUSY);
        assert(pthread_mutex_unlock(&object.mutex) == 0);
    } else if (type == 1) {
        object.mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
        assert(pthread_mutex_lock(&object.mutex) == 0);
        assert(pthread_mutex_lock(&object.mutex) == 0);
        assert(pthread_mutex_unlock(&object.mutex) == 0);
        assert(pthread_mutex_unlock(&object.mutex) == 0);
    } else {
        object.rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        assert(pthread_rwlock_rdlock(&object.rwlock) == 0);
        assert(pthread_rwlock_unlock(&object.rwlock) == 0);
    }
    rounds++;
}

int main(void) {
    for (int type = 0; type < 3; type++)
        with_mutex(type);
    printf("%d\n", rounds);
    return 0;
}
