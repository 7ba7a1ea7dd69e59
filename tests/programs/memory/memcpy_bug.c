/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * One thread copies while the other fills: half of the copy may be old.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char shared[24];

static void *first(void *unused) {
    memset(shared, 1, sizeof shared);
    return unused;
}

static void *second(void *unused) {
    char copy[24];
    memcpy(copy, shared, sizeof copy);
    assert(copy[0] == copy[20]);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
