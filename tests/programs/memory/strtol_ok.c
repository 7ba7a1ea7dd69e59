/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Reads it under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char digits[16] __attribute__((aligned(8))) = "11111111222";

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    memcpy(digits, "33333333444", 11);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    long number = strtol(digits, NULL, 10);
    pthread_mutex_unlock(&lock);
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
