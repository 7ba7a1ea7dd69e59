/* rscale-test
 * verdict: bug
 * threads-engine: no
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Reads from a pipe straight into a variable that the other thread uses.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static volatile int shared = 1;

static void *first(void *unused) {
    if (read(ends[0], (void *)&shared, sizeof shared) != sizeof shared)
        abort();
    return unused;
}

static void *second(void *unused) {
    int before = shared;
    int after = shared;
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
