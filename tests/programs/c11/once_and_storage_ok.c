/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 2\n"
 *
 * call_once runs once; tss values are per thread and destroyed at its end.
 */
#include <assert.h>
#include <stdio.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t lock;
static int made, destroyed;
static thread_local int mine;

static void destroy(void *value) {
    assert(value != NULL);
    mtx_lock(&lock);
    destroyed++;
    mtx_unlock(&lock);
}

static void make(void) {
    made++;
    assert(tss_create(&key, destroy) == thrd_success);
}

static int worker(void *value) {
    call_once(&once, make);
    assert(tss_get(key) == NULL && mine == 0);
    assert(tss_set(key, value) == thrd_success);
    mine = 1;
    thrd_yield();
    assert(tss_get(key) == value);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&threads[i], worker, &threads[i]) == thrd_success);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    tss_delete(key);
    printf("%d %d\n", made, destroyed);
    return 0;
}
