/* rscale-test
 * verdict: clean
 * outcomes: 3:"thread\nhandler\n"
 *
 * exit in a thread ends the process, though main waits for ever; handlers run once.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void handler(void) {
    printf("handler\n");
}

static void *worker(void *unused) {
    (void)unused;
    printf("thread\n");
    exit(3);
}

int main(void) {
    pthread_t thread;
    atexit(handler);
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    pthread_join(thread, NULL);
    assert(0);
}
