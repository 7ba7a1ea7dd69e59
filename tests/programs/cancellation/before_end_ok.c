/* rscale-test
 * verdict: clean
 * outcomes: 0:"n" 0:"xn" 0:"xy" 0:"y"
 * executions: optimal=29 source=29 nsb=48 superstep=53 nsb,superstep=48
 *
 * A thread is cancelled before it prints, or behind that, and has ended when somebody looks, or not.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *prints(void *unused) {
    put("x");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prints, NULL);
    pthread_cancel(thread);
    put(pthread_tryjoin_np(thread, NULL) == 0 ? "y" : "n");
    return 0;
}
