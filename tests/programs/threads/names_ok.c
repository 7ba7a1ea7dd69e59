/* rscale-test
 * verdict: clean
 *
 * Names belong to their threads; one that is too long is refused.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t go;

static void *worker(void *unused) {
    char name[16];
    sem_wait(&go);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "worker") == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    char name[16];
    sem_init(&go, 0, 0);
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    assert(pthread_setname_np(thread, "worker") == 0);
    assert(pthread_setname_np(thread, "a name that is too long") == ERANGE);
    assert(pthread_getname_np(thread, name, sizeof name) == 0 && strcmp(name, "worker") == 0);
    assert(pthread_getname_np(thread, name, 3) == ERANGE);
    sem_post(&go);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
