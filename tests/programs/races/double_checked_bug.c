/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to instance
 * options: --races
 *
 * Double-checked locking with a plain pointer: the first look is not under the lock.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

static void *use(void *unused) {
    if (!instance) {
        pthread_mutex_lock(&lock);
        if (!instance) {
            int *made = malloc(sizeof *made);
            *made = 1;
            instance = made;
        }
        pthread_mutex_unlock(&lock);
    }
    return *instance == 1 ? unused : instance;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, use, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    free(instance);
    return 0;
}
