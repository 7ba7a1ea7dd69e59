/* rscale-test
 * verdict: bug
 * kind: memory
 * message: free of a pointer that was not allocated
 * flags: -w
 */
#include <pthread.h>
#include <stdlib.h>

static void *frees(void *pointer) {
    free(pointer);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int local = 0;
    pthread_create(&thread, NULL, frees, &local);
    pthread_join(thread, NULL);
    return local;
}
