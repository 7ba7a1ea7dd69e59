/* rscale-test
 * verdict: bug
 * kind: memory
 * message: write after free
 * location: late_store_bug.c:18
 * scope: all
 * options: --memory tso
 *
 * The store is made before the block is freed, and becomes visible behind that: what is wrong is the store, wherever the
 * threads are by then.
 */
#include <pthread.h>
#include <stdlib.h>

static volatile int *block;

static void *stores(void *unused) {
    *block = 1;
    return unused;
}

static void gives_up(void) {
    free((void *)block);
}

int main(void) {
    pthread_t thread;
    block = malloc(sizeof *block);
    atexit(gives_up);
    pthread_create(&thread, NULL, stores, NULL);
    return 0;
}
