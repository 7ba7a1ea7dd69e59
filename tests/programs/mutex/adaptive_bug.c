/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * An adaptive mutex locked twice blocks like a normal one.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
