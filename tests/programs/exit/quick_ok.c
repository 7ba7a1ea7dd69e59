/* rscale-test
 * verdict: clean
 * outcomes: 5:"printed\n"
 *
 * _exit writes out no buffers and calls no handlers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(void) {
    printf("handler\n");
}

static void *leaves(void *unused) {
    (void)unused;
    printf("printed\n");
    fflush(stdout);
    printf("lost\n");
    _exit(5);
}

int main(void) {
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, leaves, NULL);
    pthread_join(thread, NULL);
    return 0;
}
