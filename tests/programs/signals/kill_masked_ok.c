/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0" 0:"1" 0:"11"
 *
 * A signal comes before a thread blocks it, while it is blocked, or behind that, when the thread has looked.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int handled;

static void handle(int number) { handled += number == SIGUSR1; }

static void *look(void *unused) {
    (void)unused;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    long before = handled;
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    return (void *)(before * 10 + handled);
}

int main(void) {
    pthread_t thread;
    void *seen;
    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, look, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, &seen);
    printf("%ld", (long)seen);
    return 0;
}
