/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: concurrent condition waits with different mutexes
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waits(void *lock) {
    pthread_mutex_lock(lock);
    pthread_cond_wait(&changed, lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, &locks[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
