/* litmus: WRC with fences
 * prints: r0 r1 r2
 * sc: 0 0 0, 0 0 1, 0 1 0, 0 1 1, 1 0 0, 1 0 1, 1 1 1
 * tso: 0 0 0, 0 0 1, 0 1 0, 0 1 1, 1 0 0, 1 0 1, 1 1 1
 * pso: 0 0 0, 0 0 1, 0 1 0, 0 1 1, 1 0 0, 1 0 1, 1 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1, r2;

THREAD(p0)
{
    x = 1;
}

THREAD(p1)
{
    r0 = x;
    MFENCE();
    y = 1;
}

THREAD(p2)
{
    r1 = y;
    MFENCE();
    r2 = x;
}

int main(void)
{
    RUN(p0, p1, p2);
    printf("%d %d %d\n", r0, r1, r2);
    return 0;
}
