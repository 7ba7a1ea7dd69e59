/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Both threads cut strings with strtok, which keeps its place in one variable for all.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void check(char *text, char expected) {
    char *token = strtok(text, ",");
    assert(token);
    token = strtok(NULL, ",");
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
