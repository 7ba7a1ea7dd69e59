/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -D_FORTIFY_SOURCE=2 -Wno-cpp
 *
 * Each prints and reads back under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[16];

static void check(int number) {
    pthread_mutex_lock(&lock);
    snprintf(buffer, sizeof buffer, "%d", number);
    assert(atoi(buffer) == number);
    pthread_mutex_unlock(&lock);
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
