/* litmus: n6 of the x86-TSO papers: a thread sees its own store before others do
 * prints: r0 r1 x
 * sc: 1 0 2, 1 2 1, 1 2 2, 2 2 2
 * tso: 1 0 1, 1 0 2, 1 2 1, 1 2 2, 2 2 2
 * pso: 1 0 1, 1 0 2, 1 2 1, 1 2 2, 2 0 2, 2 2 2
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1;

THREAD(p0)
{
    x = 1;
    r0 = x;
    r1 = y;
}

THREAD(p1)
{
    y = 2;
    x = 2;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d %d\n", r0, r1, x);
    return 0;
}
