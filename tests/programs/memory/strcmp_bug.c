/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Compares and uses the text in two steps: in between it may have changed.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char state[8] = "open";

static void *first(void *unused) {
    strncpy(state, "shut", sizeof state);
    return unused;
}

static void *second(void *unused) {
    if (strcmp(state, "open") == 0)
        assert(state[0] == 'o');
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
