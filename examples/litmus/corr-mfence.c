/* litmus: CoRR with a fence
 * prints: r0 r1
 * sc: 0 0, 0 1, 0 2, 1 1, 1 2, 2 1, 2 2
 * tso: 0 0, 0 1, 0 2, 1 1, 1 2, 2 1, 2 2
 * pso: 0 0, 0 1, 0 2, 1 1, 1 2, 2 1, 2 2
 */
#include "litmus.h"

static volatile int x;
static int r0, r1;

THREAD(p0)
{
    x = 1;
}

THREAD(p1)
{
    x = 2;
}

THREAD(p2)
{
    r0 = x;
    MFENCE();
    r1 = x;
}

int main(void)
{
    RUN(p0, p1, p2);
    printf("%d %d\n", r0, r1);
    return 0;
}
