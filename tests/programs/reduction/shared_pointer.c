/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=1 nsb=3 source=3 optimal=3 epor=3 epor-sh=3
 * variant: -DN=5 nsb=11 source=11 optimal=11 epor=11 epor-sh=11
 * variant: -DN=50 source=101 optimal=101
 *
 * Seed 004, shared pointer: two threads use their own pointer N times, and then change the other one's. If a change comes
 * before some use of the other thread, that thread's change comes behind all uses of the first: 2N + 1 traces.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static int target[2];
static int *volatile pointer[2] = {&target[0], &target[1]};

static void *process(void *number) {
    long i = (long)number;
    for (int round = 0; round < N; round++)
        (void)pointer[i];
    pointer[1 - i] = &target[i];
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, process, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
