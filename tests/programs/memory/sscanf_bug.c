/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Both threads scan into one variable, and read it back.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int number;
static char word[8];

static void check(const char *input, int expected) {
    sscanf(input, "%d %s", &number, word);
    assert(number == expected && word[0] == 'a' + expected);
}

static void *first(void *unused) {
    check("1 b", 1);
    return unused;
}

static void *second(void *unused) {
    check("2 c", 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
