/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: result == 7
 * location: join_results_bug.c:27
 *
 * Reads the result before the thread has been joined.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *computes(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    result = 7;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t thread;
    assert(pthread_create(&thread, NULL, computes, NULL) == 0);
    pthread_mutex_lock(&lock);
    assert(result == 7); /* here */
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
