/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Reads a number while another thread writes its digits.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char digits[8] = "11";

static void *first(void *unused) {
    ((volatile char *)digits)[0] = '2';
    ((volatile char *)digits)[1] = '2';
    return unused;
}

static void *second(void *unused) {
    char *end;
    long double number = strtold(digits, &end);
    assert(end == digits + 2);
    assert(number == 11 || number == 22);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
