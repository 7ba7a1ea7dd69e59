/* litmus: n8 of the x86-TSO papers, as corrected in their errata: one locked store is not enough
 * prints: r0 r1
 * sc: 0 1, 1 0, 1 1
 * tso: 0 0, 0 1, 1 0, 1 1
 * pso: 0 0, 0 1, 1 0, 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1;

THREAD(p0)
{
    EXCHANGE(x, 1);
    r0 = y;
}

THREAD(p1)
{
    y = 1;
    r1 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
