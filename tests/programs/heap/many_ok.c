/* rscale-test
 * verdict: clean
 * outcomes: 0:"20000\n"
 *
 * Many allocations and frees, some from the other thread, 200 MB in all.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 10000

static char *blocks[COUNT];
static long checked;

static void *makes(void *unused) {
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(10000);
        assert(blocks[i]);
        blocks[i][0] = blocks[i][9999] = (char)i;
    }
    return unused;
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        pthread_create(&thread, NULL, makes, NULL);
        pthread_join(thread, NULL);
        for (int i = 0; i < COUNT; i++) {
            assert(blocks[i][0] == (char)i && blocks[i][9999] == (char)i);
            free(blocks[i]);
            checked++;
        }
    }
    printf("%ld\n", checked);
    return 0;
}
