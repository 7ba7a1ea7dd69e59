/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * A spin lock, a routine that runs once, and an attempt that fails.
 */
#include <pthread.h>

static pthread_spinlock_t spin;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, counter;

static void make(void) { made = 1; }

static void *work(void *unused) {
    pthread_once(&once, make);
    pthread_spin_lock(&spin);
    counter += made;
    pthread_spin_unlock(&spin);
    if (pthread_mutex_trylock(&busy) == 0)
        pthread_mutex_unlock(&busy);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_spin_init(&spin, 0);
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return counter - 2;
}
