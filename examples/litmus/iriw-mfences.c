/* litmus: IRIW with fences
 * prints: r0 r1 r2 r3
 * sc: 0 0 0 0, 0 0 0 1, 0 0 1 0, 0 0 1 1, 0 1 0 0, 0 1 0 1, 0 1 1 0, 0 1 1 1, 1 0 0 0, 1 0 0 1, 1 0 1 1, 1 1 0 0
 * sc: 1 1 0 1, 1 1 1 0, 1 1 1 1
 * tso: 0 0 0 0, 0 0 0 1, 0 0 1 0, 0 0 1 1, 0 1 0 0, 0 1 0 1, 0 1 1 0, 0 1 1 1, 1 0 0 0, 1 0 0 1, 1 0 1 1, 1 1 0 0
 * tso: 1 1 0 1, 1 1 1 0, 1 1 1 1
 * pso: 0 0 0 0, 0 0 0 1, 0 0 1 0, 0 0 1 1, 0 1 0 0, 0 1 0 1, 0 1 1 0, 0 1 1 1, 1 0 0 0, 1 0 0 1, 1 0 1 1, 1 1 0 0
 * pso: 1 1 0 1, 1 1 1 0, 1 1 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1, r2, r3;

THREAD(p0)
{
    x = 1;
}

THREAD(p1)
{
    y = 1;
}

THREAD(p2)
{
    r0 = x;
    MFENCE();
    r1 = y;
}

THREAD(p3)
{
    r2 = y;
    MFENCE();
    r3 = x;
}

int main(void)
{
    RUN(p0, p1, p2, p3);
    printf("%d %d %d %d\n", r0, r1, r2, r3);
    return 0;
}
