/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n" 0:"2\n"
 *
 * Yielding is a scheduling point and orders nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, first;

static void take_turn(int me) {
    assert(sched_yield() == 0);
    pthread_mutex_lock(&lock);
    if (turn++ == 0)
        first = me;
    pthread_mutex_unlock(&lock);
}

static void *other(void *unused) {
    take_turn(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    take_turn(1);
    pthread_join(thread, NULL);
    printf("%d\n", first);
    return 0;
}
