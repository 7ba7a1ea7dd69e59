/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Moves them under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long queue[3] = {1, 2, 0};

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    memmove(queue + 1, queue, 2 * sizeof *queue);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    long last = queue[2], middle = queue[1];
    pthread_mutex_unlock(&lock);
    assert(!(last == 2 && middle == 2));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    assert(queue[1] == 1 && queue[2] == 2);
    return 0;
}
