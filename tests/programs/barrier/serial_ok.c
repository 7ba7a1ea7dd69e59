/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 2\n"
 *
 * Exactly one of the three is told that it is the serial thread, and nobody leaves before all have arrived.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived, serial, others;

static void *meets(void *unused) {
    pthread_mutex_lock(&lock);
    arrived++;
    pthread_mutex_unlock(&lock);
    int result = pthread_barrier_wait(&barrier);
    assert(arrived == 3);
    pthread_mutex_lock(&lock);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    else if (result == 0)
        others++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, NULL, 3) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, meets, NULL);
    meets(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(pthread_barrier_destroy(&barrier) == 0);
    printf("%d %d\n", serial, others);
    return 0;
}
