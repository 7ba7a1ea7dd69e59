/* rscale-test
 * verdict: bug
 * kind: deadlock
 * runs: none=21 nsb=3
 *
 * Two threads take two locks in opposite orders. Counted by an independent enumerator: three classes of schedules, one of
 * which deadlocks.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *other(void *unused) {
    take_both(&right, &left);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    take_both(&left, &right);
    pthread_join(thread, NULL);
    return 0;
}
