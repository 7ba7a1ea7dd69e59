/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Sorts while the other thread looks: it may see the order from before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static long numbers[3] = {3, 1, 2};

static int compare(const void *a, const void *b) {
    return *(const long *)a < *(const long *)b ? -1 : *(const long *)a > *(const long *)b;
}

static void *first(void *unused) {
    long smallest = numbers[0], largest = numbers[2];
    assert(smallest + largest == 5 || smallest + largest == 4);
    return unused;
}

static void *second(void *unused) {
    qsort(numbers, 3, sizeof *numbers, compare);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
