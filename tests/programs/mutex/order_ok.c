/* rscale-test
 * verdict: clean
 * runs: none=10 nsb=2
 * executions: none=10 nsb=2
 *
 * Two threads take two locks in the same order. Counted by an independent enumerator.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *take_both(void *unused) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, take_both, NULL);
    take_both(NULL);
    pthread_join(thread, NULL);
    return 0;
}
