/* rscale-test
 * verdict: clean
 * options: --leaks
 *
 * The old message is freed. What libc keeps (the buffer of stdout) is not the program's leak.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *message;

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    free(message);
    message = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, takes, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        free(message);
        message = strdup("message");
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    free(message);
    printf("done\n");
    return 0;
}
