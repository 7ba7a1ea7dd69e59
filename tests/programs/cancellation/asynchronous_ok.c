/* rscale-test
 * verdict: clean
 * outcomes: 0:"cancelled\n"
 *
 * With the asynchronous type a thread is cancelled anywhere: here at the latest in its wait that no one ends.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t never;

static void *waits(void *unused) {
    int old = -1;
    assert(pthread_setcanceltype(99, NULL) == EINVAL);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    sem_wait(&never);
    assert(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    printf("cancelled\n");
    return 0;
}
