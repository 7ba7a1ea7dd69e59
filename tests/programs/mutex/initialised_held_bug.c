/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: initialisation of a mutex that is held
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_init(&lock, NULL);
    return 0;
}
