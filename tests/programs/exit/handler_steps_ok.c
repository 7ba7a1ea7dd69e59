/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"" 0:"0" 0:"1"
 * executions: optimal=21 source=21 dpor=21 epor=21 nsb=21 nsb,superstep=21
 *
 * The process ends behind the last step of an exit handler, which has nothing to do with what another thread does meanwhile: that
 * one may come to print what an earlier step of the handler has written, or not.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;

static void *prints(void *unused) {
    char digit = '0' + value;
    if (write(STDOUT_FILENO, &digit, 1) != 1)
        _exit(1);
    return unused;
}

static void handler(void) {
    value = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, prints, NULL);
    return 0;
}
