/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * A lock of the compiler's built-in functions on a plain int: the source tells that the store that gives it back is atomic.
 */
#include <pthread.h>

static int lock, data;

static void take(int *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {}
}

static void *work(void *unused) {
    take(&lock);
    data++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return data - 2;
}
