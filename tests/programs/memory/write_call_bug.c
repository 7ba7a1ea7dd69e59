/* rscale-test
 * verdict: bug
 * threads-engine: no
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Writes a pair to a pipe while the other thread changes both halves.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static volatile long pair[2] = {1, 1};

static void *first(void *unused) {
    pair[0] = 2;
    pair[1] = 2;
    return unused;
}

static void *second(void *unused) {
    long seen[2];
    if (write(ends[1], (void *)pair, sizeof pair) != sizeof pair)
        abort();
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
