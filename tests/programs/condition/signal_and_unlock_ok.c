/* rscale-test
 * verdict: clean
 * scope: sync
 * levels: -O1
 * isolation: snapshot
 * outcomes: 0:"seen 0 first 0\n" 0:"seen 0 first 1\n" 0:"seen 1 first 0\n" 0:"seen 1 first 1\n" 0:""
 * executions: nsb=6 nsb,superstep=6 optimal=6
 *
 * A signal and an unlock together let the waiter go on, neither of them alone does. So a super step ends with the signal:
 * the waiter may come before what its sender does next, and before main takes the mutex again.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t small = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_up = PTHREAD_COND_INITIALIZER;
static int value, seen, is_waiting, again, first;

static void *wait_for_it(void *unused) {
    pthread_mutex_lock(&mutex);
    is_waiting = 1;
    pthread_cond_wait(&wake_up, &mutex);
    first = again;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&small);
    value = 1;
    pthread_mutex_unlock(&small);
    return unused;
}

static void *send_it(void *unused) {
    pthread_cond_signal(&wake_up);
    pthread_mutex_lock(&small);
    seen = value;
    pthread_mutex_unlock(&small);
    return unused;
}

int main(void) {
    pthread_t waiter, sender;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&mutex);
    if (!is_waiting)
        return 0;
    pthread_create(&sender, NULL, send_it, NULL);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    again = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(sender, NULL);
    pthread_join(waiter, NULL);
    printf("seen %d first %d\n", seen, first);
    return 0;
}
