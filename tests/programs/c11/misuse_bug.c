/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a mutex that
 */
#include <stddef.h>
#include <threads.h>

static mtx_t lock;

static int unlocks(void *unused) {
    (void)unused;
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&lock, mtx_plain);
    thrd_create(&thread, unlocks, NULL);
    thrd_join(thread, NULL);
    return 0;
}
