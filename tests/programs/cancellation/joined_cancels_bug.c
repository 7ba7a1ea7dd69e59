/* rscale-test
 * verdict: bug
 * kind: assertion
 * threads-engine: no
 *
 * The thread that is waited for cancels the one that waits, and then sends it a signal. If that has ended by then, its
 * handler does not run, and the last thread finds that out.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static pthread_t joiner;
static volatile int handled;

static void handle(int number) { handled = number; }

static void check(void) {
    if (!handled) abort();
}

static void *cancel(void *unused) {
    pthread_cancel(joiner);
    pthread_kill(joiner, SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t other;
    joiner = pthread_self();
    signal(SIGUSR1, handle);
    atexit(check);
    pthread_create(&other, 0, cancel, 0);
    pthread_join(other, 0);
    return 0;
}
