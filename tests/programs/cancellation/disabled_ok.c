/* rscale-test
 * verdict: clean
 * outcomes: 0:"worked\n" 0:"cancelled early\n"
 *
 * Where cancellation is disabled it waits; it happens at the first cancellation point after it is enabled again.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t never;
static int worked;

static void *works(void *unused) {
    int old = -1;
    sleep(1);
    assert(pthread_setcancelstate(99, NULL) == EINVAL);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    sleep(1);
    pthread_testcancel();
    worked = 1;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
    sem_wait(&never);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, works, NULL);
    pthread_cancel(thread);
    assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    printf("%s\n", worked ? "worked" : "cancelled early");
    return 0;
}
