/* rscale-test
 * verdict: clean
 * outcomes: 0:"8 3\n"
 *
 * C11 threads: results, exit, identity, detaching.
 */
#include <assert.h>
#include <stdio.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int detached_ran;

static int twice(void *number) {
    return 2 * *(int *)number;
}

static int leaves(void *unused) {
    (void)unused;
    thrd_exit(3);
}

static int detached(void *unused) {
    (void)unused;
    mtx_lock(&lock);
    detached_ran = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t a, b, c;
    int number = 4, first = 0, second = 0;
    assert(mtx_init(&lock, mtx_plain) == thrd_success && cnd_init(&changed) == thrd_success);
    assert(thrd_create(&a, twice, &number) == thrd_success);
    assert(thrd_create(&b, leaves, NULL) == thrd_success);
    assert(!thrd_equal(a, b) && thrd_equal(thrd_current(), thrd_current()));
    assert(thrd_join(a, &first) == thrd_success && thrd_join(b, &second) == thrd_success);
    assert(thrd_create(&c, detached, NULL) == thrd_success && thrd_detach(c) == thrd_success);
    mtx_lock(&lock);
    while (!detached_ran)
        assert(cnd_wait(&changed, &lock) == thrd_success);
    mtx_unlock(&lock);
    thrd_yield();
    printf("%d %d\n", first, second);
    return 0;
}
