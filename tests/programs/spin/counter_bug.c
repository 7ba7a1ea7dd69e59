/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: counter == 2
 */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *adds(void *unused) {
    pthread_spin_lock(&lock);
    int seen = counter;
    pthread_spin_unlock(&lock);
    pthread_spin_lock(&lock);
    counter = seen + 1;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, adds, NULL);
    adds(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2);
    return 0;
}
