/* rscale-test
 * verdict: bug
 * scope: all
 * kind: memory
 * message: use after free
 * location: read_after_free_bug.c:37
 *
 * A reader leaves the lock with a pointer, and reads through it when the block may be freed: what it finds there looks
 * like any other number.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *current;
static volatile int sum;

static void *replaces(void *unused) {
    int *next = malloc(sizeof *next);
    *next = 2;
    pthread_mutex_lock(&lock);
    int *old = current;
    current = next;
    pthread_mutex_unlock(&lock);
    free(old);
    return unused;
}

int main(void) {
    pthread_t thread;
    current = malloc(sizeof *current);
    *current = 1;
    pthread_create(&thread, NULL, replaces, NULL);
    pthread_mutex_lock(&lock);
    int *mine = current;
    pthread_mutex_unlock(&lock);
    sum += *mine; /* here */
    pthread_join(thread, NULL);
    return 0;
}
