/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: deadlock
 *
 * Two signals with the same number are one if nobody has taken the first: then the second wait is for ever.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void *collects(void *unused) {
    int number;
    sigwait(&set, &number);
    sigwait(&set, &number);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, collects, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
