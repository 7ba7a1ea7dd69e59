/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 *
 * The mutex is never unlocked: whoever tries again and again does so for ever.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *takes(void *unused) {
    while (pthread_mutex_trylock(&lock) != 0)
        sched_yield();
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, takes, NULL);
    takes(NULL);
    pthread_join(other, NULL);
    return 0;
}
