/* rscale-test
 * verdict: clean
 * outcomes: 0:"ready\n" 0:"time-out\n"
 *
 * Timed waits and broadcasts.
 */
#include <assert.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int ready;

static int sets(void *unused) {
    (void)unused;
    mtx_lock(&lock);
    ready = 1;
    assert(cnd_broadcast(&changed) == thrd_success);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t thread;
    struct timespec deadline;
    int result = thrd_success;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 1;
    thrd_create(&thread, sets, NULL);
    mtx_lock(&lock);
    while (!ready && result == thrd_success)
        result = cnd_timedwait(&changed, &lock, &deadline);
    assert(result == thrd_success || result == thrd_timedout);
    assert(ready || result == thrd_timedout);
    printf("%s\n", ready ? "ready" : "time-out");
    mtx_unlock(&lock);
    thrd_join(thread, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
