/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: destroy of a barrier that threads wait at
 */
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gone;

static void *meets(void *unused) {
    pthread_mutex_lock(&lock);
    int stay_away = gone;
    pthread_mutex_unlock(&lock);
    if (!stay_away)
        pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meets, NULL);
    pthread_mutex_lock(&lock);
    if (pthread_barrier_destroy(&barrier) == 0)
        gone = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
