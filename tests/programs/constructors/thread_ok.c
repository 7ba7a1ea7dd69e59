/* rscale-test
 * verdict: clean
 * outcomes: 0:"main first\n" 0:"thread first\n"
 *
 * A constructor creates a thread before main.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static int turn, main_turn;

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    turn++;
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((constructor)) static void start(void) {
    assert(pthread_create(&thread, NULL, takes, NULL) == 0);
}

int main(void) {
    pthread_mutex_lock(&lock);
    main_turn = turn++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%s first\n", main_turn == 0 ? "main" : "thread");
    return 0;
}
