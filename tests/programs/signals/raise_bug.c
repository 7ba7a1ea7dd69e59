/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGUSR1
 *
 * The signal may come before its handler is set.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number) {
    (void)number;
}

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    signal(SIGUSR1, handler);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    raise(SIGUSR1);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
