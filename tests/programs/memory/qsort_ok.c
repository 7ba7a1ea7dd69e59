/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Sorts under a lock, which is taken before the other thread looks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long numbers[3] = {3, 1, 2};

static int compare(const void *a, const void *b) {
    return *(const long *)a < *(const long *)b ? -1 : *(const long *)a > *(const long *)b;
}

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    long smallest = numbers[0], largest = numbers[2];
    pthread_mutex_unlock(&lock);
    assert(smallest + largest == 5 || smallest + largest == 4);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
