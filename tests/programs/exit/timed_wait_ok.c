/* rscale-test
 * verdict: clean
 * outcomes: 0:"m" 0:"mt" 0:"tm"
 * executions: optimal=7 source=7 dpor=7 epor=7 nsb=7 nsb,superstep=7
 *
 * A thread waits for a time, and nobody will end that wait but the end of the process: it may come before the time is over, or later.
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static sem_t never;

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *waits(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    put(sem_timedwait(&never, &until) == 0 ? "s" : "t");
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    put("m");
    return 0;
}
