/* rscale-test
 * verdict: clean
 * outcomes: 0:"2\n"
 *
 * Cancelled in a wait that nobody ends, of a semaphore and of a thread: both end with PTHREAD_CANCELED.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t never;

static void *in_semaphore(void *unused) {
    sem_wait(&never);
    assert(0);
    return unused;
}

static void cancel(void *thread) {
    pthread_cancel(*(pthread_t *)thread);
    pthread_join(*(pthread_t *)thread, NULL);
}

static void *in_join(void *unused) {
    pthread_t child;
    assert(pthread_create(&child, NULL, in_semaphore, NULL) == 0);
    pthread_cleanup_push(cancel, &child);
    pthread_join(child, NULL);
    assert(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = {in_semaphore, in_join};
    int cancelled = 0;
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result = NULL;
        assert(pthread_create(&thread, NULL, routines[i], NULL) == 0);
        assert(pthread_cancel(thread) == 0);
        assert(pthread_join(thread, &result) == 0);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("%d\n", cancelled);
    return 0;
}
