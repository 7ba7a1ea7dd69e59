/* rscale-test
 * verdict: clean
 * outcomes: 0:"busy\n" 0:"free\n"
 *
 * A recursive mutex counts; others get it when the count is back at zero; only the owner may unlock.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int busy;

static void *other(void *unused) {
    int error = pthread_mutex_trylock(&lock);
    assert(error == 0 || error == EBUSY);
    busy = error == EBUSY;
    if (busy)
        assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    int type = -1;
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, 99) == EINVAL);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &type) == 0 && type == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutex_init(&lock, &attributes) == 0);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
    assert(pthread_create(&thread, NULL, other, NULL) == 0);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_join(thread, NULL) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_destroy(&lock) == 0);
    printf("%s\n", busy ? "busy" : "free");
    return 0;
}
