/* rscale-test
 * verdict: bug
 * kind: memory
 * message: memory was not freed
 * options: --leaks
 *
 * The second message overwrites the first, if that was not taken yet.
 */
#include <pthread.h>
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
        message = strdup("message");
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    free(message);
    return 0;
}
