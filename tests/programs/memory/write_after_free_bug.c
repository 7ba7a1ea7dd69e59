/* rscale-test
 * verdict: bug
 * kind: memory
 * message: write after free
 *
 * One thread frees the block, the other still writes to it; found when the program ends.
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
    pthread_mutex_lock(&lock);
    free(data);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
