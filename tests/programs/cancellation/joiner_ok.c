/* rscale-test
 * verdict: clean
 * outcomes: 0:"came" 0:""
 *
 * A thread waits for the end of another one and is cancelled there, unless that has ended.
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_t ending;
static sem_t known, waits;

static void *end(void *unused) { return unused; }

static void *join(void *unused) {
    sem_wait(&known);
    sem_post(&waits);
    pthread_join(ending, 0);
    if (write(1, "came", 4) != 4) _exit(1);
    return unused;
}

int main(void) {
    pthread_t joiner;
    sem_init(&known, 0, 0);
    sem_init(&waits, 0, 0);
    pthread_create(&joiner, 0, join, 0);
    pthread_create(&ending, 0, end, 0);
    sem_post(&known);
    sem_wait(&waits);
    pthread_cancel(joiner);
    pthread_join(joiner, 0);
    return 0;
}
