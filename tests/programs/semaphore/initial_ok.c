/* rscale-test
 * verdict: clean
 * runs: none=4 nsb=1
 * executions: none=4 nsb=1
 *
 * Main posts and waits, the thread waits and posts: by hand, the thread may start before or after the post, and main's
 * wait only after the thread's post; the thread's exit commutes with it. An independent enumerator says the same.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t mine, yours;

static void *other(void *unused) {
    sem_wait(&yours);
    sem_post(&mine);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&mine, 0, 0);
    sem_init(&yours, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    sem_post(&yours);
    sem_wait(&mine);
    pthread_join(thread, NULL);
    return 0;
}
