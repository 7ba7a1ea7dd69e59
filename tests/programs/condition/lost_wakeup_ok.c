/* rscale-test
 * verdict: clean
 * outcomes: 0:"waited\n" 0:"at once\n"
 *
 * The flag is looked at under the lock, in a loop.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *sets(void *unused) {
    assert(pthread_mutex_lock(&lock) == 0);
    ready = 1;
    assert(pthread_cond_signal(&changed) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    int waits = 0;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) {
        assert(pthread_cond_wait(&changed, &lock) == 0);
        waits++;
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(waits <= 1);
    assert(pthread_cond_destroy(&changed) == 0);
    printf("%s\n", waits ? "waited" : "at once");
    return 0;
}
