/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Blocks are used again once very much has been freed: then they are not freed memory any more.
 */
#include <pthread.h>
#include <stdlib.h>

static void *churns(void *unused) {
    for (int round = 0; round < 9; round++) {
        volatile char *block = malloc(8 << 20);
        for (int at = 0; at < 8 << 20; at += 1 << 20) {
            block[at] = (char)(block[at] + 1);
        }
        free((void *)block);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, churns, NULL);
    pthread_join(thread, NULL);
    return 0;
}
