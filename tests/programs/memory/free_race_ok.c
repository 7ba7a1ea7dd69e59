/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Reads before there is a thread that frees.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *volatile data;

static void *frees(void *unused) {
    free(data);
    return unused;
}

int main(void) {
    pthread_t thread;
    data = calloc(10, sizeof *data);
    assert(data[5] == 0);
    pthread_create(&thread, NULL, frees, NULL);
    pthread_join(thread, NULL);
    return 0;
}
