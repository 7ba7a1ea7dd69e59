/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: begun == 1
 *
 * A home-made once: looks and sets in two critical sections.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, begun;

static void *calls(void *unused) {
    pthread_mutex_lock(&lock);
    int skip = done;
    pthread_mutex_unlock(&lock);
    if (skip)
        return unused;
    pthread_mutex_lock(&lock);
    begun++;
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, calls, NULL);
    calls(NULL);
    pthread_join(thread, NULL);
    assert(begun == 1);
    return 0;
}
