/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Static initialisers of every kind, and zeroed memory, which is what the plain one is.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t zeroed;

static void check(pthread_mutex_t *lock, int second_try) {
    assert(pthread_mutex_lock(lock) == 0);
    assert(pthread_mutex_trylock(lock) == second_try);
    assert(pthread_mutex_unlock(lock) == 0);
    if (second_try == 0)
        assert(pthread_mutex_unlock(lock) == 0);
    assert(pthread_mutex_destroy(lock) == 0);
}

int main(void) {
    pthread_mutex_t local = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    check(&plain, EBUSY);
    check(&recursive, 0);
    check(&checking, EBUSY);
    check(&adaptive, EBUSY);
    check(&zeroed, EBUSY);
    check(&local, 0);
    return 0;
}
