/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Attributes keep what is valid and refuse what is not.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>

static void *asks(void *unused) {
    pthread_attr_t mine;
    int state = -1;
    size_t size = 0;
    assert(pthread_getattr_np(pthread_self(), &mine) == 0);
    assert(pthread_attr_getdetachstate(&mine, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_getstacksize(&mine, &size) == 0 && size >= (size_t)PTHREAD_STACK_MIN);
    pthread_attr_destroy(&mine);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    size_t size = 0;
    int value = -1;
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_setdetachstate(&attributes, 7) == EINVAL);
    assert(pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    assert(pthread_attr_setguardsize(&attributes, 8192) == 0);
    assert(pthread_attr_getguardsize(&attributes, &size) == 0 && size == 8192);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM) == 0);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    assert(pthread_attr_getscope(&attributes, &value) == 0 && value == PTHREAD_SCOPE_SYSTEM);
    assert(pthread_attr_getschedpolicy(&attributes, &value) == 0 && value == SCHED_OTHER);
    assert(pthread_create(&thread, &attributes, asks, NULL) == 0);
    assert(pthread_join(thread, NULL) == 0);
    assert(pthread_attr_destroy(&attributes) == 0);
    return 0;
}
