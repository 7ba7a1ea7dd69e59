/* litmus: CoRW with a fence
 * prints: r0 x
 * sc: 0 1, 0 2, 2 1
 * tso: 0 1, 0 2, 2 1
 * pso: 0 1, 0 2, 2 1
 */
#include "litmus.h"

static volatile int x;
static int r0;

THREAD(p0)
{
    r0 = x;
    MFENCE();
    x = 1;
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
