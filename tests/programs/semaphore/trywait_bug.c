/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: sem_trywait(&items) == 0
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t items;

static void *posts(void *unused) {
    sem_post(&items);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, posts, NULL);
    assert(sem_trywait(&items) == 0);
    pthread_join(thread, NULL);
    return 0;
}
