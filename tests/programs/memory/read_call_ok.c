/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Uses it under the lock under which it is read.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static volatile int shared = 1;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    if (read(ends[0], (void *)&shared, sizeof shared) != sizeof shared)
        abort();
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    int before = shared;
    int after = shared;
    pthread_mutex_unlock(&lock);
    assert(before == after);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value = 2;
    if (pipe(ends) != 0 || write(ends[1], &value, sizeof value) != sizeof value)
        abort();
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
