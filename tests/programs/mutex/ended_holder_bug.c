/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * A thread ends with a normal mutex held. It is never free again.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *dies(void *unused) {
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, dies, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    return 0;
}
