/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a spin lock that the thread does not hold
 */
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_unlock(&lock);
    return 0;
}
