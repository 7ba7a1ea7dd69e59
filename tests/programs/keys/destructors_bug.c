/* rscale-test
 * verdict: bug
 * kind: memory
 * message: double free
 *
 * The thread returns its specific buffer, which the destructor frees at its end; main frees it again.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *worker(void *unused) {
    (void)unused;
    char *buffer = malloc(16);
    pthread_setspecific(key, buffer);
    return buffer;
}

int main(void) {
    pthread_t thread;
    void *buffer;
    pthread_key_create(&key, free);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, &buffer);
    free(buffer);
    return 0;
}
