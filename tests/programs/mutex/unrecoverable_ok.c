/* rscale-test
 * verdict: clean
 *
 * After an unlock without repair, all kinds of lock say ENOTRECOVERABLE, also to a thread that waits already.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock;

static void *dies(void *unused) {
    assert(pthread_mutex_lock(&lock) == 0);
    return unused;
}

static void *waits(void *unused) {
    assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    struct timespec now;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, NULL, dies, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_trylock(&lock) == EOWNERDEAD);
    pthread_create(&thread, NULL, waits, NULL);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_REALTIME, &now);
    assert(pthread_mutex_timedlock(&lock, &now) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&lock) == ENOTRECOVERABLE); /* last: glibc 2.36 keeps the lock word after it */
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
