/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Who may enter beside a reader and beside a writer; errors for the writer itself.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec past = {1, 0}, invalid = {1, 2000000000};

static void *beside_reader(void *unused) {
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

static void *beside_writer(void *unused) {
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&lock, &invalid) == EINVAL);
    return unused;
}

static void run(void *(*routine)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, routine, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    run(beside_reader);
    assert(pthread_rwlock_unlock(&lock) == 0);
    run(beside_reader);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    run(beside_writer);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
