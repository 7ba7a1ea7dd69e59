/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The twin reads before it leaves the lock: what was freed is not read any more.
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
    sum += *current;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
