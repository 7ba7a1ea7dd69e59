/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Compares and uses it under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char state[8] = "open";

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    strncpy(state, "shut", sizeof state);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    if (strcmp(state, "open") == 0)
        assert(state[0] == 'o');
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
