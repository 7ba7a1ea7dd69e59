/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"1\n"
 *
 * trylock fails exactly while another holds the lock.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int skipped, inside;

static void *tries(void *unused) {
    int error = pthread_mutex_trylock(&lock);
    if (error == 0) {
        assert(inside++ == 0);
        inside--;
        assert(pthread_mutex_unlock(&lock) == 0);
    } else {
        assert(error == EBUSY);
        skipped = 1;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, tries, NULL);
    pthread_mutex_lock(&lock);
    assert(inside++ == 0);
    pthread_mutex_trylock(&lock);
    inside--;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", skipped);
    return 0;
}
