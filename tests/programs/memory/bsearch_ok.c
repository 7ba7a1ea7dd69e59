/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long numbers[3] = {1, 2, 3};

static int compare(const void *key, const void *element) {
    long wanted = *(const long *)key, found = *(const volatile long *)element;
    return wanted < found ? -1 : wanted > found;
}

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    numbers[2] = 4;
    numbers[1] = 3;
    numbers[0] = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    long wanted = 2;
    void *found = bsearch(&wanted, (void *)numbers, 3, sizeof *numbers, compare);
    pthread_mutex_unlock(&lock);
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
