/* rscale-test
 * verdict: clean
 * outcomes: 0:"3 3\n"
 *
 * The barrier is used again and again; nobody is ever a round ahead.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int round_of[2];

static void meet(int me) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        round_of[me]++;
        assert(abs(round_of[0] - round_of[1]) <= 1);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
    }
}

static void *other(void *unused) {
    meet(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    meet(0);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    printf("%d %d\n", round_of[0], round_of[1]);
    return 0;
}
