/* rscale-test
 * verdict: bug
 * kind: livelock
 * scope: all
 *
 * Two threads try in vain, again and again: neither helps the other by that.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *unused) {
    while (pthread_mutex_trylock(&lock) != 0)
        sched_yield();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_mutex_lock(&lock);
    pthread_create(&first, NULL, tries, NULL);
    pthread_create(&second, NULL, tries, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
