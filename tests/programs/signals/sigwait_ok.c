/* rscale-test
 * verdict: clean
 * outcomes: 0:"12 by the thread\n"
 *
 * A thread collects signals with sigwait, as servers do: those sent to the process and those sent to it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sigset_t set;
static sem_t taken;

static void *collects(void *unused) {
    int number = 0, sum = 0;
    do {
        assert(sigwait(&set, &number) == 0);
        sum += number == SIGUSR2 ? 2 : number == SIGUSR1 ? 10 : 0;
        sem_post(&taken);
    } while (number != SIGUSR1);
    printf("%d by the thread\n", sum);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec no_time = {0, 0};
    siginfo_t info;
    sem_init(&taken, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    assert(sigtimedwait(&set, &info, &no_time) == -1);
    assert(raise(SIGUSR1) == 0);
    assert(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
    pthread_create(&thread, NULL, collects, NULL);
    assert(kill(getpid(), SIGUSR2) == 0);
    sem_wait(&taken);
    assert(pthread_kill(thread, SIGUSR1) == 0);
    pthread_join(thread, NULL);
    return 0;
}
