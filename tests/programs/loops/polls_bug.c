/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 * endless: lcd
 *
 * As polls_ok.c, but a worker that comes late does not set the flag: then nobody does.
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_done, is_late;

static void *works(void *unused) {
    pthread_mutex_lock(&lock);
    is_done = !is_late;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int looks(void) {
    pthread_mutex_lock(&lock);
    int seen = is_done;
    pthread_mutex_unlock(&lock);
    return seen;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, works, NULL);
    pthread_mutex_lock(&lock);
    is_late = 1;
    pthread_mutex_unlock(&lock);
    while (!looks())
        sched_yield();
    pthread_join(worker, NULL);
    return 0;
}
