/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races --memory pso
 *
 * The flag may become visible before the data: the value is wrong on such a machine, but the accesses are ordered.
 */
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *publish(void *unused) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *use(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire))
        data++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, publish, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
