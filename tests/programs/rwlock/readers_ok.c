/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n" 0:"2\n"
 *
 * Readers share the lock: at most two were inside at a time, and it can be two.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, most;

static void *reads(void *unused) {
    assert(pthread_rwlock_rdlock(&lock) == 0);
    pthread_mutex_lock(&count_lock);
    if (++inside > most)
        most = inside;
    pthread_mutex_unlock(&count_lock);
    pthread_mutex_lock(&count_lock);
    inside--;
    pthread_mutex_unlock(&count_lock);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reads, NULL);
    reads(NULL);
    pthread_join(thread, NULL);
    assert(pthread_rwlock_destroy(&lock) == 0);
    printf("%d\n", most);
    return 0;
}
