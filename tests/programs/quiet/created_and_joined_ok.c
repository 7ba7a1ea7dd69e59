/* rscale-test
 * verdict: clean
 * scope: sync
 * outcomes: 0:"12\n" 0:"21\n"
 * runs: nsb=2 nsb,superstep=2 optimal=2
 *
 * All that matters is who comes first to the mutex: that threads are created, start, unlock, end and are joined makes no
 * difference.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[3];
static int count;

static void *sign(void *name) {
    pthread_mutex_lock(&mutex);
    order[count++] = *(char *)name;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, sign, "1");
    pthread_create(&two, NULL, sign, "2");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts(order);
    return 0;
}
