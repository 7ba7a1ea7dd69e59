/* rscale-test
 * verdict: clean
 *
 * The time-stamp counter of the processor shows virtual time: the number of steps depends on it, and is the same in each
 * execution; a thread that slept sees that it did, and one that was joined is not ahead.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long slept;

static void step(unsigned long long times) {
    for (unsigned long long i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

static void *sleeps(void *unused) {
    unsigned processor;
    unsigned long long before = __rdtscp(&processor);
    usleep(1500);
    slept = __rdtsc();
    assert(slept - before >= 1500000);
    step(1 + slept % 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    step(1 + __rdtsc() / 64 % 2);
    pthread_join(thread, NULL);
    assert(__rdtsc() >= slept);
    return 0;
}
