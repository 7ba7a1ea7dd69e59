/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Measures and copies in two steps: in between the text may have grown.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char shared[16] = "abc";

static void *first(void *unused) {
    strcpy(shared, "abcdefgh");
    return unused;
}

static void *second(void *unused) {
    char copy[16];
    int is_short = strlen(shared) < 4;
    strcpy(copy, shared);
    assert(!is_short || copy[3] == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
