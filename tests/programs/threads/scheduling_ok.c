/* rscale-test
 * verdict: clean
 *
 * Policies, priorities and processors have no effect, but wrong ones are refused as the kernel refuses them, what was set
 * is read again, and a thread can not be created with attributes that nobody could grant.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static void *nothing(void *argument) { return argument; }

static int set(int policy, int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), policy, &parameters);
}

static int created(pthread_attr_t *attributes) {
    pthread_t thread;
    int error = pthread_create(&thread, attributes, nothing, NULL);
    if (!error)
        pthread_join(thread, NULL);
    return error;
}

int main(void) {
    int policy = -1;
    struct sched_param parameters;
    assert(set(SCHED_OTHER, 1) == EINVAL && set(SCHED_FIFO, 0) == EINVAL && set(SCHED_RR, 100) == EINVAL);
    assert(set(-1, 0) == EINVAL && set(4, 0) == EINVAL && set(SCHED_OTHER, 0) == 0);
    assert(pthread_setschedprio(pthread_self(), 3) == EINVAL && pthread_setschedprio(pthread_self(), 0) == 0);
    assert(set(SCHED_BATCH, 0) == 0);
    assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0 && policy == SCHED_BATCH);
    assert(sched_getscheduler(0) == SCHED_BATCH && sched_getscheduler(-1) == -1 && errno == EINVAL);
    int real_time = set(SCHED_FIFO, 7); /* a matter of privileges */
    assert(real_time == EPERM || real_time == 0 && sched_getparam(0, &parameters) == 0 && parameters.sched_priority == 7);

    cpu_set_t none, all, first;
    CPU_ZERO(&none);
    assert(pthread_getaffinity_np(pthread_self(), sizeof all, &all) == 0 && CPU_COUNT(&all) > 0);
    assert(pthread_setaffinity_np(pthread_self(), sizeof none, &none) == EINVAL);
    CPU_ZERO(&first);
    for (int processor = 0; CPU_COUNT(&first) == 0; processor++)
        if (CPU_ISSET(processor, &all))
            CPU_SET(processor, &first);
    assert(pthread_setaffinity_np(pthread_self(), sizeof first, &first) == 0);
    assert(pthread_getaffinity_np(pthread_self(), sizeof all, &all) == 0 && CPU_EQUAL(&all, &first));
    assert(CPU_ISSET(sched_getcpu(), &first));

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setaffinity_np(&attributes, sizeof none, &none) == 0 && created(&attributes) == EINVAL);
    assert(pthread_attr_setaffinity_np(&attributes, sizeof first, &first) == 0 && created(&attributes) == 0);
    assert(pthread_attr_setstacksize(&attributes, (size_t)1 << 46) == 0 && created(&attributes) == EAGAIN);
    assert(pthread_attr_setstacksize(&attributes, 1 << 16) == 0);
    assert(pthread_attr_setguardsize(&attributes, SIZE_MAX) == 0 && created(&attributes) == EINVAL);
    assert(pthread_attr_setguardsize(&attributes, 1 << 16) == 0 && created(&attributes) == 0);
    return 0;
}
