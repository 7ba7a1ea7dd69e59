/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"00" 0:"10" 0:"11"
 *
 * A signal reaches a thread before it has begun, between its steps, behind the last of them, or not at all, when it has
 * ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int handled, seen;

static void handle(int number) { handled = number == SIGUSR1; }

static void *look(void *unused) {
    seen = handled;
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, look, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    printf("%d%d", handled, seen);
    return 0;
}
