/* litmus: coherence: a store, then a load of the same location
 * prints: r0 x
 * sc: 1 1, 1 2, 2 2
 * tso: 1 1, 1 2, 2 2
 * pso: 1 1, 1 2, 2 2
 */
#include "litmus.h"

static volatile int x;
static int r0;

THREAD(p0)
{
    x = 1;
    r0 = x;
}

THREAD(p1)
{
    x = 2;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, x);
    return 0;
}
