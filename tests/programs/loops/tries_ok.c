/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"2\n"
 *
 * Threads that try to lock until they succeed wait: they are not scheduled until somebody unlocks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *adds(void *unused) {
    while (pthread_mutex_trylock(&lock) != 0)
        sched_yield();
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    printf("%d\n", counter);
    return 0;
}
