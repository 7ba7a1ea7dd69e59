/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: pthread_mutex_lock(&lock) == 0
 * location: robust_bug.c:31
 *
 * Unlocks without repairing: the mutex is of no use any more.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *dies(void *unused) {
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, NULL, dies, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == 0); /* here */
    return 0;
}
