/* litmus: R: stores against a store and a load
 * prints: y r0
 * sc: 1 0, 1 1, 2 1
 * tso: 1 0, 1 1, 2 0, 2 1
 * pso: 1 0, 1 1, 2 0, 2 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0;

THREAD(p0)
{
    x = 1;
    y = 1;
}

THREAD(p1)
{
    y = 2;
    r0 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", y, r0);
    return 0;
}
