/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: saved
 *
 * Main returns without waiting for the thread that saves.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int saved;

static void *saves(void *unused) {
    pthread_mutex_lock(&lock);
    saved = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void at_end(void) {
    assert(saved);
}

int main(void) {
    pthread_t thread;
    atexit(at_end);
    assert(pthread_create(&thread, NULL, saves, NULL) == 0);
    return 0;
}
