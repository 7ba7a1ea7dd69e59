/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * One signal for two waiters of the same event.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_;

static void *passes(void *unused) {
    pthread_mutex_lock(&lock);
    while (!open_)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, passes, NULL);
    pthread_mutex_lock(&lock);
    open_ = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
