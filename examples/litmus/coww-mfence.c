/* litmus: CoWW with a fence
 * prints: r0 x
 * sc: 0 2, 1 2, 2 2
 * tso: 0 2, 1 2, 2 2
 * pso: 0 2, 1 2, 2 2
 */
#include "litmus.h"

static volatile int x;
static int r0;

THREAD(p0)
{
    x = 1;
    MFENCE();
    x = 2;
}

THREAD(p1)
{
    r0 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, x);
    return 0;
}
