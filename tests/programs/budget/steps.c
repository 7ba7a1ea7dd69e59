/* rscale-test
 * verdict: incomplete
 * options: --max-steps 50
 *
 * Waits busily, and counts how long: without a bound one execution would go on for ever, and no two states of it are the same.
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, rounds;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    for (int done = 0; !done; sched_yield()) {
        pthread_mutex_lock(&lock);
        done = ready;
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
