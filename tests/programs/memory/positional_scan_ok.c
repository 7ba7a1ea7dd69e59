/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int low, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    int is_low = *(volatile int *)&low;
    int is_high = *(volatile int *)&high;
    assert((is_low == 0) == (is_high == 0));
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    sscanf("1 2", "%2$d %1$d", &high, &low);
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
