/* rscale-test
 * verdict: clean
 * outcomes: 0:"" 0:"l" 3:"" 3:"l" 4:"" 4:"l"
 * executions: optimal=49 source=49 dpor=49 nsb=49
 *
 * Three threads end the process, two of them by way of a handler. Behind the exit of one, the first step of another may be the end,
 * and what was planned behind that is not run.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(void) {
    if (write(STDOUT_FILENO, "l", 1) != 1)
        _exit(1);
}

static void *ends(void *unused) {
    _exit(4);
    return unused;
}

static void *exits(void *unused) {
    exit(3);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    atexit(handler);
    pthread_create(&threads[0], NULL, ends, NULL);
    pthread_create(&threads[1], NULL, exits, NULL);
    return 0;
}
