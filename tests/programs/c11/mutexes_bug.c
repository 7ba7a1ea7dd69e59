/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * Two locks in opposite orders.
 */
#include <stddef.h>
#include <threads.h>

static mtx_t left, right;

static int other(void *unused) {
    (void)unused;
    mtx_lock(&right);
    mtx_lock(&left);
    mtx_unlock(&left);
    mtx_unlock(&right);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&left, mtx_plain);
    mtx_init(&right, mtx_plain);
    thrd_create(&thread, other, NULL);
    mtx_lock(&left);
    mtx_lock(&right);
    mtx_unlock(&right);
    mtx_unlock(&left);
    thrd_join(thread, NULL);
    return 0;
}
