/* rscale-test
 * verdict: clean
 * options: --leaks
 *
 * The last user frees the object with its mutex.
 */
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int users;
};

static void *release(void *object) {
    struct shared *shared = object;
    pthread_mutex_lock(&shared->lock);
    int left = --shared->users;
    pthread_mutex_unlock(&shared->lock);
    if (left == 0)
        free(shared);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct shared *shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->users = 2;
    pthread_create(&thread, NULL, release, shared);
    release(shared);
    pthread_join(thread, NULL);
    return 0;
}
