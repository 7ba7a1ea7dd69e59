/* rscale-test
 * verdict: clean
 *
 * A thread that ends abandons the mutex first that it took last.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t outer, inner;

static void *dies(void *unused) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&outer, &attributes);
    pthread_mutex_init(&inner, &attributes);
    pthread_create(&thread, NULL, dies, NULL);
    int first = pthread_mutex_trylock(&outer);
    int second = pthread_mutex_trylock(&inner);
    assert(first != EOWNERDEAD || second == EOWNERDEAD);
    if (first != EBUSY)
        pthread_mutex_unlock(&outer);
    if (second != EBUSY)
        pthread_mutex_unlock(&inner);
    pthread_join(thread, NULL);
    return 0;
}
