/* rscale-test
 * verdict: bug
 * scope: all
 * kind: memory
 * message: use after free
 *
 * Reads from a block that the other thread frees, with nothing between them.
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
    pthread_create(&thread, NULL, frees, NULL);
    assert(data[5] == 0);
    pthread_join(thread, NULL);
    return 0;
}
