/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGTERM
 *
 * A signal without a handler ends the program, in one order.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *checks(void *unused) {
    pthread_mutex_lock(&lock);
    if (!ready)
        raise(SIGTERM);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, checks, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
