/* rscale-test
 * verdict: clean
 *
 * The default lock prefers readers: a second read lock never waits for a writer that waits.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writes(void *unused) {
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    pthread_join(thread, NULL);
    return 0;
}
