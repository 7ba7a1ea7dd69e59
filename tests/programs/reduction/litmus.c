/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DSB nsb=3 source=3 optimal=3 epor=3 epor-sh=3
 * variant: -DMP nsb=3 source=3 optimal=3 epor=3 epor-sh=3
 * variant: -DWW nsb=3 source=3 optimal=3 epor=3 epor-sh=3
 * variant: -DIRIW nsb=15 source=15 optimal=15 epor=15 epor-sh=15
 *
 * The usual litmus tests: store buffers, message passing, two writes each, independent reads of independent writes.
 */
#include <pthread.h>
#include <stddef.h>

volatile int x, y;
int seen[4];

#if defined SB
#define FIRST x = 1, seen[0] = y
#define SECOND y = 1, seen[1] = x
#elif defined WW
#define FIRST x = 1, y = 1
#define SECOND y = 2, x = 2
#elif defined IRIW
#define FIRST x = 1
#define SECOND y = 1
#define THIRD seen[0] = x, seen[1] = y
#define FOURTH seen[2] = y, seen[3] = x
#else /* MP */
#define FIRST x = 1, y = 1
#define SECOND seen[0] = y, seen[1] = x
#endif
#ifndef THIRD
#define THIRD (void)0
#define FOURTH (void)0
#endif

#define THREAD(name, code) \
    static void *name(void *unused) { \
        code; \
        return unused; \
    }
THREAD(first, FIRST)
THREAD(second, SECOND)
THREAD(third, THIRD)
THREAD(fourth, FOURTH)

int main(void) {
    void *(*const bodies[])(void *) = {first, second, third, fourth};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
