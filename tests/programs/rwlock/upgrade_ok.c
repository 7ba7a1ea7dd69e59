/* rscale-test
 * verdict: clean
 * outcomes: 0:"2\n"
 *
 * Gives up the read lock first, and looks again under the write lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int counter;

static void *upgrades(void *unused) {
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    counter++;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, upgrades, NULL);
    upgrades(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
