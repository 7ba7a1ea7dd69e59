/* rscale-test
 * verdict: clean
 * options: --spurious 2
 * outcomes: 0:"0\n" 0:"1\n" 0:"2\n" 0:"3\n"
 *
 * With up to two spurious wake-ups in an execution, one waiter may wait up to three times.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    int waits = 0;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    for (; !ready; waits++)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", waits);
    return 0;
}
