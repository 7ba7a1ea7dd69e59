/* rscale-test
 * verdict: clean
 * outcomes: 0:"locked\n" 0:"time-out\n"
 *
 * Plain, recursive and timed mutexes.
 */
#include <assert.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t timed, recursive;
static int result;

static int waits(void *unused) {
    struct timespec deadline;
    (void)unused;
    assert(timespec_get(&deadline, TIME_UTC) == TIME_UTC);
    deadline.tv_sec += 1;
    result = mtx_timedlock(&timed, &deadline);
    assert(result == thrd_success || result == thrd_timedout);
    if (result == thrd_success)
        mtx_unlock(&timed);
    return 0;
}

int main(void) {
    thrd_t thread;
    assert(mtx_init(&timed, mtx_timed) == thrd_success);
    assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    assert(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
    assert(mtx_trylock(&recursive) == thrd_success);
    for (int i = 0; i < 3; i++)
        assert(mtx_unlock(&recursive) == thrd_success);
    mtx_destroy(&recursive);
    assert(mtx_trylock(&timed) == thrd_success && mtx_trylock(&timed) == thrd_busy);
    thrd_create(&thread, waits, NULL);
    mtx_unlock(&timed);
    thrd_join(thread, NULL);
    mtx_destroy(&timed);
    printf("%s\n", result == thrd_success ? "locked" : "time-out");
    return 0;
}
