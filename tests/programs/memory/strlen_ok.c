/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Measures and copies under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char shared[16] = "abc";

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    strcpy(shared, "abcdefgh");
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    char copy[16];
    pthread_mutex_lock(&lock);
    int is_short = strlen(shared) < 4;
    strcpy(copy, shared);
    pthread_mutex_unlock(&lock);
    assert(!is_short || copy[3] == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
