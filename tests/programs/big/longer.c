/* rscale-test
 * verdict: incomplete
 *
 * 120000 steps: more than the default budget of 100000, so nothing is called clean.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    for (int i = 0; i < 60000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
