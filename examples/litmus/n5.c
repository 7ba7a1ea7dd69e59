/* litmus: n5 of the x86-TSO papers: threads agree on the order of stores
 * prints: r0 r1
 * sc: 1 1, 1 2, 2 2
 * tso: 1 1, 1 2, 2 2
 * pso: 1 1, 1 2, 2 2
 */
#include "litmus.h"

static volatile int x;
static int r0, r1;

THREAD(p0)
{
    x = 1;
    r0 = x;
}

THREAD(p1)
{
    x = 2;
    r1 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
