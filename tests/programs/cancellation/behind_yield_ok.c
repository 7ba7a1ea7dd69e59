/* rscale-test
 * verdict: clean
 * outcomes: 0:"n" 0:"xn" 0:"xy" 0:"y"
 * executions: optimal=129 source=129 nsb=201 nsb,superstep=201
 *
 * A thread is cancelled before a step that touches nothing, or behind it: then it has printed. The two states are reached by the
 * same steps on the same objects, and only the order of the request and the step tells them apart.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *prints(void *unused) {
    sched_yield();
    put("x");
    return unused;
}

static void *ends(void *unused) {
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, prints, NULL);
    pthread_create(&threads[1], NULL, ends, NULL);
    pthread_cancel(threads[0]);
    put(pthread_tryjoin_np(threads[0], NULL) == 0 ? "y" : "n");
    return 0;
}
