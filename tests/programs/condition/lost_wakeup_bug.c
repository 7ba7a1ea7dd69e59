/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The flag is looked at outside of the lock that the wait needs: the signal may come in between.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static int is_ready(void) {
    pthread_mutex_lock(&lock);
    int answer = ready;
    pthread_mutex_unlock(&lock);
    return answer;
}

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    if (!is_ready()) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
