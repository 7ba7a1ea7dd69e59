/* rscale-test
 * verdict: clean
 *
 * POSIX: once a broadcast has released all waiters, the condition variable may be destroyed, before they have the mutex.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct event {
    pthread_cond_t happened;
    int has;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *event;

static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    struct event *mine = event;
    if (mine)
        pthread_cond_wait(&mine->happened, &lock);
    assert(event == NULL);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    event = calloc(1, sizeof *event);
    assert(pthread_cond_init(&event->happened, NULL) == 0);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&event->happened);
    assert(pthread_cond_destroy(&event->happened) == 0);
    event = NULL;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
