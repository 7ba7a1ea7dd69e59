/* rscale-test
 * verdict: clean
 *
 * ppoll and pselect let a blocked signal in while they wait, and a wait for no descriptor at all ends with one.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int signal) { handled += signal == SIGUSR1; }

static void *send(void *target) {
    pthread_kill(*(pthread_t *)target, SIGUSR1);
    return NULL;
}

static void send_to(pthread_t *target) {
    pthread_t sender;
    pthread_create(&sender, NULL, send, target);
    pthread_detach(sender);
}

int main(void) {
    struct sigaction action = {.sa_handler = handle};
    sigset_t blocked, none;
    pthread_t self = pthread_self();
    int ends[2];
    assert(pipe(ends) == 0);
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);

    struct pollfd reading = {.fd = ends[0], .events = POLLIN};
    send_to(&self);
    assert(ppoll(&reading, 1, NULL, &none) == -1 && errno == EINTR && handled == 1);
    send_to(&self);
    assert(pselect(0, NULL, NULL, NULL, NULL, &none) == -1 && errno == EINTR && handled == 2);
    assert(select(-1, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
    return 0;
}
