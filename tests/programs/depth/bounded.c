/* rscale-test
 * verdict: incomplete
 * options: --filters db=5
 *
 * Nothing beyond the fifth step is explored, and the program is longer.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, takes, NULL);
    takes(NULL);
    pthread_join(thread, NULL);
    return 0;
}
