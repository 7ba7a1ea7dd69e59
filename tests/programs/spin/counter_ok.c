/* rscale-test
 * verdict: clean
 * runs: none=6 nsb=2
 * outcomes: 0:"2\n"
 *
 * As with a mutex; a spinning thread is not enabled, so nothing is explored that only spins. Counted by an independent
 * enumerator.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int counter;

static void *adds(void *unused) {
    assert(pthread_spin_lock(&lock) == 0);
    counter++;
    assert(pthread_spin_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_create(&thread, NULL, adds, NULL);
    adds(NULL);
    pthread_join(thread, NULL);
    assert(pthread_spin_destroy(&lock) == 0);
    printf("%d\n", counter);
    return 0;
}
