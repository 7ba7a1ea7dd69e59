/* rscale-test
 * verdict: bug
 * kind: memory
 * message: write beyond the end of an allocation
 *
 * One byte too many, for the zero; found when the block is freed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *copies(void *text) {
    size_t length = strlen(text);
    volatile char *copy = malloc(length);
    for (size_t i = 0; i <= length; i++)
        copy[i] = ((char *)text)[i];
    free((void *)copy);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, copies, "twenty-four characters..");
    pthread_join(thread, NULL);
    return 0;
}
