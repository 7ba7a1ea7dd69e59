/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Prints two strings that are changed together: one may be old and one new.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char key[8] = "old", value[8] = "old";

static void *first(void *unused) {
    memcpy(key, "new", 4);
    memcpy(value, "new", 4);
    return unused;
}

static void *second(void *unused) {
    char text[32];
    sprintf(text, "%d%f%s %.3s", 1, 2.0, key, value);
    assert(strstr(text, "old old") || strstr(text, "new new"));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
