/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a mutex that is not locked
 * location: unlock_free_bug.c:13
 */
#include <pthread.h>

int main(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock); /* here */
    return 0;
}
