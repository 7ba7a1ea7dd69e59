/* litmus: LB with fences
 * prints: r0 r1
 * sc: 0 0, 0 1, 1 0
 * tso: 0 0, 0 1, 1 0
 * pso: 0 0, 0 1, 1 0
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1;

THREAD(p0)
{
    r0 = x;
    MFENCE();
    y = 1;
}

THREAD(p1)
{
    r1 = y;
    MFENCE();
    x = 1;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
