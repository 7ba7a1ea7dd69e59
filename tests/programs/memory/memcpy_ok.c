/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Copy and filling exclude each other.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char shared[24];

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    memset(shared, 1, sizeof shared);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    char copy[24];
    pthread_mutex_lock(&lock);
    memcpy(copy, shared, sizeof copy);
    pthread_mutex_unlock(&lock);
    assert(copy[0] == copy[20]);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
