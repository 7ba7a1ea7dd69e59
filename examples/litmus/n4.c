/* litmus: n4 of the x86-TSO papers: loads do not see the future
 * prints: r0 r1 r2 r3
 * sc: 0 1 0 1, 0 1 0 2, 0 1 1 2, 0 2 0 2, 0 2 1 2, 2 1 0 1, 2 1 0 2
 * tso: 0 1 0 1, 0 1 0 2, 0 1 1 2, 0 2 0 2, 0 2 1 2, 2 1 0 1, 2 1 0 2
 * pso: 0 1 0 1, 0 1 0 2, 0 1 1 2, 0 2 0 2, 0 2 1 2, 2 1 0 1, 2 1 0 2
 */
#include "litmus.h"

static volatile int x;
static int r0, r1, r2, r3;

THREAD(p0)
{
    r0 = x;
    x = 1;
    r1 = x;
}

THREAD(p1)
{
    r2 = x;
    x = 2;
    r3 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d %d %d\n", r0, r1, r2, r3);
    return 0;
}
