/* rscale-test
 * verdict: bug
 * scope: all
 * kind: memory
 * message: use after free
 * location: freed_before_bug.c:26
 *
 * What main has freed before there was anything to decide stays freed in all executions: only one order reads it.
 */
#include <pthread.h>
#include <stdlib.h>

struct entry {
    long key;
    long value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *volatile stale;
static int is_closed;

static void *looks(void *unused) {
    pthread_mutex_lock(&lock);
    int is_open = !is_closed;
    pthread_mutex_unlock(&lock);
    volatile long seen = is_open ? 0 : stale->value; /* here */
    (void)seen;
    return unused;
}

int main(void) {
    pthread_t thread;
    stale = malloc(sizeof *stale);
    stale->value = 7;
    free(stale);
    pthread_create(&thread, NULL, looks, NULL);
    pthread_mutex_lock(&lock);
    is_closed = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
