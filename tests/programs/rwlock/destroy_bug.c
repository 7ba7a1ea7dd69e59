/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: destroy of a read-write lock that is held
 */
#include <pthread.h>
#include <stddef.h>

int main(void) {
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
