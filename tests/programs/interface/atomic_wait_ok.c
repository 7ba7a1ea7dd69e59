/* rscale-test
 * verdict: clean
 *
 * A thread that has to wait in its atomic section lets others run.
 */
#include "../../../scheduler/include/rscale.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused) {
    rscale_atomic_begin();
    pthread_mutex_lock(&lock);
    rscale_atomic_end();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, locks, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
