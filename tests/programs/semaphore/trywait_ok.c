/* rscale-test
 * verdict: clean
 * outcomes: 0:"taken\n" 0:"empty\n"
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t items;

static void *posts(void *unused) {
    sem_post(&items);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value = -1;
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, posts, NULL);
    int result = sem_trywait(&items);
    int error = errno;
    assert(result == 0 || (result == -1 && error == EAGAIN));
    pthread_join(thread, NULL);
    assert(sem_getvalue(&items, &value) == 0);
    assert(value == (result == 0 ? 0 : 1));
    printf("%s\n", result == 0 ? "taken" : "empty");
    return 0;
}
