/* litmus: n1 of the x86-TSO papers
 * prints: r0 r1 r2
 * sc: 0 0 0, 0 0 1, 0 0 2, 0 1 1, 0 2 1, 0 2 2, 1 0 0, 1 0 1, 1 0 2, 1 1 1, 1 1 2, 1 2 1, 1 2 2
 * tso: 0 0 0, 0 0 1, 0 0 2, 0 1 1, 0 1 2, 0 2 1, 0 2 2, 1 0 0, 1 0 1, 1 0 2, 1 1 1, 1 1 2, 1 2 1, 1 2 2
 * pso: 0 0 0, 0 0 1, 0 0 2, 0 1 1, 0 1 2, 0 2 1, 0 2 2, 1 0 0, 1 0 1, 1 0 2, 1 1 1, 1 1 2, 1 2 1, 1 2 2
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1, r2;

THREAD(p0)
{
    x = 2;
    r0 = y;
}

THREAD(p1)
{
    y = 1;
    x = 1;
}

THREAD(p2)
{
    r1 = x;
    r2 = x;
}

int main(void)
{
    RUN(p0, p1, p2);
    printf("%d %d %d\n", r0, r1, r2);
    return 0;
}
