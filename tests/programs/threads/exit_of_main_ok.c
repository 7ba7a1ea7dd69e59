/* rscale-test
 * verdict: clean
 * outcomes: 0:"worker\n"
 *
 * pthread_exit in main leaves the other threads running; the process ends with the last one, with status 0.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *worker(void *unused) {
    printf("worker\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    assert(pthread_detach(thread) == 0);
    pthread_exit((void *)1);
}
