/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The signal may come before the wait.
 */
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;

static int signals(void *unused) {
    (void)unused;
    cnd_signal(&changed);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, signals, NULL);
    mtx_lock(&lock);
    cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(thread, NULL);
    return 0;
}
