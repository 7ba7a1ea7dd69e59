/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The thread posts to another semaphore, by a slip in the name.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static void *posts(void *unused) {
    sem_t *items = sem_open("/rscale-test-named-b", O_CREAT, 0600, 0);
    sem_unlink("/rscale-test-named-b");
    sem_post(items);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_t *items = sem_open("/rscale-test-named-a", O_CREAT, 0600, 0);
    sem_unlink("/rscale-test-named-a");
    pthread_create(&thread, NULL, posts, NULL);
    sem_wait(items);
    pthread_join(thread, NULL);
    return 0;
}
