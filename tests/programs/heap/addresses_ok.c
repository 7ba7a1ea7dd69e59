/* rscale-test
 * verdict: clean
 *
 * An address depends on the thread and its own allocations only, not on the interleaving: were it otherwise, the number
 * of steps would differ.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocates(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        void *block = malloc(24 + 16 * i);
        pthread_mutex_unlock(&lock);
        if ((uintptr_t)block / 16 % 3 == 0) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        free(block);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, allocates, NULL);
    allocates(NULL);
    pthread_join(thread, NULL);
    return 0;
}
