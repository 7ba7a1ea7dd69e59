/* rscale-test
 * verdict: clean
 * outcomes: 0:"repaired\n" 0:"first\n"
 *
 * The thread ends with a robust mutex held: whoever locks it next is told, repairs, and all is well again.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void *dies(void *unused) {
    assert(pthread_mutex_lock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    int robust = -1;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutexattr_getrobust(&attributes, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
    assert(pthread_mutex_init(&lock, &attributes) == 0);
    assert(pthread_mutex_consistent(&lock) == EINVAL);
    assert(pthread_create(&thread, NULL, dies, NULL) == 0);
    int error = pthread_mutex_lock(&lock);
    assert(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD)
        assert(pthread_mutex_consistent(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_join(thread, NULL) == 0);
    int again = pthread_mutex_lock(&lock);
    assert(again == (error == 0 ? EOWNERDEAD : 0));
    if (again == EOWNERDEAD)
        assert(pthread_mutex_consistent(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_destroy(&lock) == 0);
    printf("%s\n", error == 0 ? "first" : "repaired");
    return 0;
}
