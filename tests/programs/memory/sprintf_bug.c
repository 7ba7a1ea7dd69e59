/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -D_FORTIFY_SOURCE=2 -Wno-cpp
 *
 * Both threads print into one buffer, and read back.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char buffer[16];

static void check(int number) {
    snprintf(buffer, sizeof buffer, "%d", number);
    assert(atoi(buffer) == number);
}

static void *first(void *unused) {
    check(1);
    return unused;
}

static void *second(void *unused) {
    check(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
