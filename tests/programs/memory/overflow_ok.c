/* rscale-test
 * verdict: clean
 *
 * Room for the zero. Blocks of all small sizes are used to their last byte.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *copies(void *text) {
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    free(copy);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, copies, "twenty-four characters..");
    for (size_t size = 1; size < 300; size++) {
        char *block = malloc(size);
        memset(block, 0xff, size);
        free(block);
    }
    pthread_join(thread, NULL);
    return 0;
}
