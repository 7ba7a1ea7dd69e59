/* rscale-test
 * verdict: bug
 * kind: deadlock
 * runs: none=1
 *
 * A normal mutex locked twice by one thread: it waits for itself.
 */
#include <pthread.h>

int main(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
