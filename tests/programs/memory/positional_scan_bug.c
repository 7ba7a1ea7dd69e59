/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Scans into a number that is named by its number while another thread reads it twice.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int low, high;

static void *first(void *unused) {
    int is_low = *(volatile int *)&low;
    int is_high = *(volatile int *)&high;
    assert((is_low == 0) == (is_high == 0));
    return unused;
}

static void *second(void *unused) {
    sscanf("1 2", "%2$d %1$d", &high, &low);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
