/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Each keeps its own place.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void check(char *text, char expected) {
    char *place, *token = strtok_r(text, ",", &place);
    assert(token);
    token = strtok_r(NULL, ",", &place);
    assert(token && token[0] == expected);
}

static void *first(void *unused) {
    char text[] = "a,b";
    check(text, 'b');
    return unused;
}

static void *second(void *unused) {
    char text[] = "c,d";
    check(text, 'd');
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
