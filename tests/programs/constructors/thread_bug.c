/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: turn == 1
 *
 * Main takes it that the constructor's thread has run.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    turn++;
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, takes, NULL);
    pthread_detach(thread);
}

int main(void) {
    pthread_mutex_lock(&lock);
    assert(turn == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
