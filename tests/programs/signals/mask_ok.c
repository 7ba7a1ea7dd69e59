/* rscale-test
 * verdict: clean
 * outcomes: 0:"0 1\n"
 *
 * A blocked signal waits until it is unblocked. Masks are per thread and inherited at creation.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t caught;

static void handler(int number) {
    (void)number;
    caught++;
}

static void *asks(void *unused) {
    sigset_t mine;
    assert(pthread_sigmask(SIG_SETMASK, NULL, &mine) == 0);
    assert(sigismember(&mine, SIGUSR1) == 1 && sigismember(&mine, SIGUSR2) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    signal(SIGUSR1, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_create(&thread, NULL, asks, NULL);
    raise(SIGUSR1);
    int while_blocked = caught;
    pthread_join(thread, NULL);
    assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    printf("%d %d\n", while_blocked, (int)caught);
    return 0;
}
