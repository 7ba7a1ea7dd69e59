/* rscale-test
 * verdict: clean
 * outcomes: 0:"done\n"
 *
 * Main ends with pthread_exit, so the last thread ends the process: exit handlers run in it, and may use locks although no
 * thread is left.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_the_end(void) {
    pthread_mutex_lock(&lock);
    puts("done");
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(at_the_end);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
