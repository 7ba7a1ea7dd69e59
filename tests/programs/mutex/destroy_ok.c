/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Destroyed after the last use, and made anew.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;

static void *user(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        assert(pthread_mutex_init(&lock, NULL) == 0);
        pthread_create(&thread, NULL, user, NULL);
        pthread_join(thread, NULL);
        assert(pthread_mutex_destroy(&lock) == 0);
    }
    return 0;
}
