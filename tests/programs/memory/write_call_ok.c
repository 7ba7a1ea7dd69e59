/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Writes and changes it under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static volatile long pair[2] = {1, 1};

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    pair[0] = 2;
    pair[1] = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    long seen[2];
    pthread_mutex_lock(&lock);
    if (write(ends[1], (void *)pair, sizeof pair) != sizeof pair)
        abort();
    pthread_mutex_unlock(&lock);
    if (read(ends[0], seen, sizeof seen) != sizeof seen)
        abort();
    assert(seen[0] == seen[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0)
        abort();
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
