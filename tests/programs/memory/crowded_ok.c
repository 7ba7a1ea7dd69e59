/* rscale-test
 * verdict: clean
 * scope: all
 * executions: optimal=4
 * variant: -DCROWD=1 optimal=4
 *
 * Each thread works on so much memory of its own that rscale does not remember all of it exactly. Then two counters in one
 * word, each under its lock, look like a race. A closer look shows that there is none: as many executions as with less memory.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef CROWD
#define CROWD 1000
#endif

static struct {
    pthread_mutex_t lock;
    volatile uint32_t pairs[CROWD][2];
} own[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
static volatile int counters[2] __attribute__((aligned(8)));
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *count(void *argument) {
    int thread = argument != NULL;
    for (int half = 0; half < 2; half++) {
        pthread_mutex_lock(&own[thread].lock);
        for (int i = 0; i < CROWD; i++)
            own[thread].pairs[i][half] = i;
        pthread_mutex_unlock(&own[thread].lock);
    }
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        counters[i]++;
        pthread_mutex_unlock(&locks[i]);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count, own);
    count(NULL);
    pthread_join(thread, NULL);
    assert(counters[0] == 2 && counters[1] == 2);
    return 0;
}
