/* rscale-test
 * verdict: clean
 * outcomes: 0:"passed\n"
 *
 * A named semaphore: opened twice it is one; its name can be removed while it is in use.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static const char name[] = "/rscale-test-named-ok";

static void *posts(void *unused) {
    sem_t *same = sem_open(name, 0);
    assert(same != SEM_FAILED);
    assert(sem_post(same) == 0);
    assert(sem_close(same) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_unlink(name);
    assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    sem_t *items = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    assert(items != SEM_FAILED);
    assert(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
    assert(sem_open(name, O_CREAT, 0600, 5) == items);
    pthread_create(&thread, NULL, posts, NULL);
    assert(sem_wait(items) == 0);
    pthread_join(thread, NULL);
    assert(sem_unlink(name) == 0);
    assert(sem_unlink(name) == -1 && errno == ENOENT);
    assert(sem_trywait(items) == -1 && errno == EAGAIN);
    assert(sem_close(items) == 0);
    printf("passed\n");
    return 0;
}
