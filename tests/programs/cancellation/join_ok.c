/* rscale-test
 * verdict: clean
 * outcomes: 0:"joined\n"
 *
 * A thread cancelled while it joins another leaves that one to be joined by somebody else.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t go;
static pthread_t target;

static void *waits(void *unused) {
    assert(sem_wait(&go) == 0);
    return unused;
}

static void *joins(void *unused) {
    pthread_join(target, NULL);
    assert(0);
    return unused;
}

int main(void) {
    pthread_t joiner;
    void *result;
    sem_init(&go, 0, 0);
    pthread_create(&target, NULL, waits, NULL);
    pthread_create(&joiner, NULL, joins, NULL);
    pthread_cancel(joiner);
    assert(pthread_join(joiner, &result) == 0 && result == PTHREAD_CANCELED);
    sem_post(&go);
    assert(pthread_join(target, &result) == 0 && result == NULL);
    printf("joined\n");
    return 0;
}
