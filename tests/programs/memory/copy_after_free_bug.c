/* rscale-test
 * verdict: bug
 * scope: all
 * kind: memory
 * message: use after free
 * location: copy_after_free_bug.c:27
 *
 * A library function reads what the same thread has freed before, in one of two orders.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int wants_copy;
static char copy[24];

static void *keeps(void *unused) {
    char *text = malloc(24);
    strcpy(text, "twenty-three characters");
    pthread_mutex_lock(&lock);
    int copies = wants_copy;
    pthread_mutex_unlock(&lock);
    char *volatile kept = text;
    free(text);
    if (copies) {
        memcpy(copy, kept, 24); /* here */
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, keeps, NULL);
    pthread_mutex_lock(&lock);
    wants_copy = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return copy[0] == 'x';
}
