/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * The thread is created after one access and joined before the other.
 */
#include <pthread.h>

static volatile int value;

static void *work(void *unused) {
    value = value + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    value = 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return value - 2;
}
