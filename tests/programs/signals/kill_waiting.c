/* rscale-test
 * verdict: error
 *
 * The handler posts what its thread waits for. It would run while the thread waits, which rscale can not do: that is no deadlock.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t posted;

static void posts(int number) {
    (void)number;
    sem_post(&posted);
}

static void *waits(void *unused) {
    while (sem_wait(&posted) != 0) {
    }
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = posts};
    pthread_t waiter;
    sem_init(&posted, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&waiter, NULL, waits, NULL);
    pthread_kill(waiter, SIGUSR1);
    return pthread_join(waiter, NULL);
}
