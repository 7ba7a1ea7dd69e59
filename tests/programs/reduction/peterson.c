/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * executions: nsb=24 dpor=24 source=24 optimal=24 epor=24 epor-sh=24
 *
 * Peterson's algorithm: two threads keep each other out with plain variables.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int wants[2], turn, inside;

static void *work(void *number) {
    long me = (long)number, other = 1 - me;
    wants[me] = 1;
    turn = other;
    while (wants[other] && turn == other)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    wants[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
