/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Reads a number that the other thread replaces digit by digit.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char digits[16] __attribute__((aligned(8))) = "11111111222";

static void *first(void *unused) {
    memcpy(digits, "33333333444", 11);
    return unused;
}

static void *second(void *unused) {
    long number = strtol(digits, NULL, 10);
    assert(number == 11111111222 || number == 33333333444);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
