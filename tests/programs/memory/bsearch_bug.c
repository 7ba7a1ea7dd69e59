/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Searches while another thread changes the numbers: what was there before and is there after is not found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static volatile long numbers[3] = {1, 2, 3};

static int compare(const void *key, const void *element) {
    long wanted = *(const long *)key, found = *(const volatile long *)element;
    return wanted < found ? -1 : wanted > found;
}

static void *first(void *unused) {
    numbers[2] = 4;
    numbers[1] = 3;
    numbers[0] = 2;
    return unused;
}

static void *second(void *unused) {
    long wanted = 2;
    void *found = bsearch(&wanted, (void *)numbers, 3, sizeof *numbers, compare);
    assert(found != NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
