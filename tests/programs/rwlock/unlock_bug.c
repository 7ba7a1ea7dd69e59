/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a read-write lock that the thread does not hold
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *unlocks(void *unused) {
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, NULL, unlocks, NULL);
    pthread_join(thread, NULL);
    return 0;
}
