/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: sem_timedwait(&items, &deadline) == 0
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t items;

static void *posts(void *unused) {
    sem_post(&items);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline;
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, posts, NULL);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 60;
    assert(sem_timedwait(&items, &deadline) == 0);
    pthread_join(thread, NULL);
    return 0;
}
