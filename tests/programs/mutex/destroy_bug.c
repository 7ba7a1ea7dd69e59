/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: destroy of a mutex that is held
 *
 * Only where the thread is still inside its critical section.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t lock;
static sem_t inside;

static void *user(void *unused) {
    pthread_mutex_lock(&lock);
    sem_post(&inside);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, NULL);
    sem_init(&inside, 0, 0);
    pthread_create(&thread, NULL, user, NULL);
    sem_wait(&inside);
    pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
