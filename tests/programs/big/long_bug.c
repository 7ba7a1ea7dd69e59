/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: counter < 35000
 * levels: -O2
 *
 * A failure after 70000 steps: the trace is as long and replays.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *counts(void *unused) {
    for (int i = 0; i < 35000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    assert(counter < 35000);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    pthread_join(thread, NULL);
    return 0;
}
