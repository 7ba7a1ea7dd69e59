/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: slot == 0
 *
 * One slot, but room for two is announced.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t spaces, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slot;

static void *produce(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&spaces);
        pthread_mutex_lock(&lock);
        assert(slot == 0);
        slot = i;
        pthread_mutex_unlock(&lock);
        sem_post(&items);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&spaces, 0, 2);
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; i < 2; i++) {
        sem_wait(&items);
        pthread_mutex_lock(&lock);
        slot = 0;
        pthread_mutex_unlock(&lock);
        sem_post(&spaces);
    }
    pthread_join(thread, NULL);
    return 0;
}
