/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to lock: atomic update at
 * location: built_in_bug.c
 * options: --races
 *
 * The lock is given back by a store that is not atomic.
 */
#include <pthread.h>

static int lock, data;

static void take(int *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {}
}

static void *work(void *unused) {
    take(&lock);
    data++;
    *(volatile int *)&lock = 0;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
