/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to counter: atomic update at
 * options: --races
 *
 * One thread counts atomically, the other one looks without.
 */
#include <pthread.h>

static int counter;

static void *work(void *unused) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); return unused; }
static void *look(void *unused) { return *(volatile int *)&counter > 1 ? &counter : unused; }

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, look, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
