/* rscale-test
 * verdict: clean
 * outcomes: 0:"done\n"
 *
 * A thread created detached needs no join; a semaphore says when it is done.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;

static void *worker(void *unused) {
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    int state = -1;
    sem_init(&done, 0, 0);
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attributes, worker, NULL) == 0);
    assert(pthread_attr_destroy(&attributes) == 0);
    assert(sem_wait(&done) == 0);
    printf("done\n");
    return 0;
}
