/* rscale-test
 * verdict: bug
 * kind: crash
 * scope: all
 * options: --keep-going
 * outcomes: 132:"" 132:"t" 0:"" 0:"t"
 * executions: optimal=25 source=25 dpor=25 epor=25 nsb=25 nsb,superstep=25
 *
 * A wait times out, or the program crashes before that. Neither has to do with what main writes, but the crash does not happen behind
 * it: that main could as well write before the wait is over must not keep both from coming before the write.
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static volatile int value;
static sem_t never;

static void *waits(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (sem_timedwait(&never, &until) != 0 && write(STDOUT_FILENO, "t", 1) != 1)
        _exit(1);
    return unused;
}

static void *crashes(void *unused) {
    if (value == 0)
        __builtin_trap();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&never, 0, 0);
    pthread_create(&threads[0], NULL, waits, NULL);
    pthread_create(&threads[1], NULL, crashes, NULL);
    value = 1;
    return 0;
}
