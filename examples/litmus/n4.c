/* litmus: n4 of the x86-TSO papers: loads do not see the future
 * prints: r0 r1
 * sc: 0 0, 0 1, 2 0
 * tso: 0 0, 0 1, 2 0
 * pso: 0 0, 0 1, 2 0
 */
#include "litmus.h"

static volatile int x;
static int r0, r1;

THREAD(p0)
{
    r0 = x;
    x = 1;
}

THREAD(p1)
{
    r1 = x;
    x = 2;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
