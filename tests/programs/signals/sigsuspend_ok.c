/* rscale-test
 * verdict: clean
 * outcomes: 0:"done\n"
 *
 * The main thread sleeps in sigsuspend until a worker says that it is done. Nothing is lost: the signal is blocked
 * outside of sigsuspend, and what another thread's handler does ends no wait of this one.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t done;

static void on_done(int number) {
    (void)number;
    done = 1;
}

static void on_noise(int number) {
    (void)number;
}

static void *works(void *unused) {
    raise(SIGUSR2);
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t blocked, inside;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    signal(SIGUSR1, on_done);
    signal(SIGUSR2, on_noise);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    sigemptyset(&inside);
    pthread_create(&thread, NULL, works, NULL);
    assert(sigsuspend(&inside) == -1 && errno == EINTR);
    assert(done);
    pthread_sigmask(SIG_SETMASK, NULL, &inside);
    assert(sigismember(&inside, SIGUSR1));
    pthread_join(thread, NULL);
    printf("done\n");
    return 0;
}
