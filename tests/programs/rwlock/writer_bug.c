/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: counter == 2
 *
 * Updates under a read lock; a mutex around each access keeps it free of data races, yet an update gets lost.
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t access_lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *adds(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&access_lock);
    int seen = counter;
    pthread_mutex_unlock(&access_lock);
    pthread_mutex_lock(&access_lock);
    counter = seen + 1;
    pthread_mutex_unlock(&access_lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    adds(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2);
    return 0;
}
