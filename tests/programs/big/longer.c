/* rscale-test
 * verdict: incomplete
 *
 * 120000 steps: more than the default budget of 100000, so nothing is called clean.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *steps(void *unused) {
    for (int i = 0; i < 60000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, steps, NULL);
    pthread_join(thread, NULL);
    return 0;
}
