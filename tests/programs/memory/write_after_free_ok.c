/* rscale-test
 * verdict: clean
 *
 * Freed after the last use.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *data;

static void *writes(void *unused) {
    pthread_mutex_lock(&lock);
    data[3] = 7;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    data = malloc(10 * sizeof *data);
    pthread_create(&thread, NULL, writes, NULL);
    writes(NULL);
    pthread_join(thread, NULL);
    free(data);
    return 0;
}
