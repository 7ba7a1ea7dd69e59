/* rscale-test
 * verdict: clean
 * outcomes: 0:"handled\n"
 *
 * pthread_kill runs the handler in the thread it is sent to, at the latest before that thread ends its wait.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static sem_t go;
static pthread_t target;
static volatile sig_atomic_t handled;

static void handler(int number) {
    (void)number;
    assert(pthread_equal(pthread_self(), target));
    handled = 1;
}

static void *waits(void *unused) {
    while (sem_wait(&go) != 0)
        assert(errno == EINTR);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    sem_init(&go, 0, 0);
    assert(sigaction(SIGUSR1, &action, NULL) == 0);
    pthread_create(&target, NULL, waits, NULL);
    assert(pthread_kill(target, 0) == 0);
    assert(pthread_kill(target, 999) == EINVAL);
    assert(pthread_kill(target, SIGUSR1) == 0);
    sem_post(&go);
    pthread_join(target, NULL);
    assert(handled);
    printf("handled\n");
    return 0;
}
