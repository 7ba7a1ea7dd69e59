/* rscale-test
 * verdict: clean
 * scope: sync
 * outcomes: 0:"0\n" 0:"16\n"
 * executions: nsb=3 nsb,superstep=3
 *
 * Whether a mutex is held can be seen: unlocking it is not quiet, and the attempt may come before.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *attempt(void *unused) {
    result = pthread_mutex_trylock(&mutex);
    if (result == 0)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, attempt, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d\n", result);
    return 0;
}
