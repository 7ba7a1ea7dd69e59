/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n"
 *
 * A handler, set anew in every execution: at its start the default is back in place.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t caught;

static void handler(int number) {
    assert(number == SIGUSR1);
    caught++;
}

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handler}, old;
    pthread_create(&thread, NULL, takes, NULL);
    assert(sigaction(SIGUSR1, &action, &old) == 0);
    assert(old.sa_handler == SIG_DFL);
    takes(NULL);
    assert(raise(SIGUSR1) == 0 && caught == 1);
    pthread_join(thread, NULL);
    printf("%d\n", (int)caught);
    return 0;
}
