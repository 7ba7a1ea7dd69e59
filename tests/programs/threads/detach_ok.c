/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n"
 *
 * One thread detaches itself, main detaches the other, before or after its end.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;

static void *detaches_itself(void *unused) {
    assert(pthread_detach(pthread_self()) == 0);
    sem_post(&done);
    return unused;
}

static void *is_detached(void *unused) {
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value;
    sem_init(&done, 0, 0);
    assert(pthread_create(&thread, NULL, detaches_itself, NULL) == 0);
    sem_wait(&done);
    assert(pthread_create(&thread, NULL, is_detached, NULL) == 0);
    assert(pthread_detach(thread) == 0);
    sem_wait(&done);
    sem_post(&done);
    assert(sem_getvalue(&done, &value) == 0);
    printf("%d\n", value);
    return 0;
}
