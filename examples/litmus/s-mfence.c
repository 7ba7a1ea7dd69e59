/* litmus: S with a fence
 * prints: r0 x
 * sc: 0 1, 0 2, 1 1
 * tso: 0 1, 0 2, 1 1
 * pso: 0 1, 0 2, 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0;

THREAD(p0)
{
    x = 2;
    MFENCE();
    y = 1;
}

THREAD(p1)
{
    r0 = y;
    x = 1;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, x);
    return 0;
}
