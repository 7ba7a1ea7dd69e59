/* rscale-test
 * verdict: clean
 * threads-engine: no
 * executions: nsb=30 dpor=30 source=30 optimal=30 epor=30 epor-sh=30
 * outcomes: 0:"" 0:"x"
 *
 * The main thread waits for a signal and exits, and another thread prints meanwhile, or does not come to it. To wait for a signal
 * depends on all steps, and can come before those of the printing thread only together with the step that sends the signal.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_t waiter;
static void *prints(void *unused) { write(1, "x", 1); return unused; }
static void *sends(void *unused) { pthread_kill(waiter, SIGUSR1); return unused; }
int main(void)
{
    pthread_t thread;
    sigset_t set;
    int number;
    waiter = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, prints, NULL);
    pthread_create(&thread, NULL, sends, NULL);
    sigwait(&set, &number);
    exit(0);
}
