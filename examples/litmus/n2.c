/* litmus: n2 of the x86-TSO papers: all agree on the order of stores; 1210, which TSO forbids, is there under PSO
 * prints: r0 r1 r2 r3
 * sc: 0000, 0001, 0010, 0011, 0100, 0101, 0110, 0111, 0200, 0201, 0210, 0211, 1100, 1101, 1110, 1111, 1200, 1201
 * sc: 1211, 2100, 2101, 2110, 2111, 2200, 2201, 2210, 2211
 * tso: 0000, 0001, 0010, 0011, 0100, 0101, 0110, 0111, 0200, 0201, 0210, 0211, 1100, 1101, 1110, 1111, 1200, 1201
 * tso: 1211, 2100, 2101, 2110, 2111, 2200, 2201, 2210, 2211
 * pso: 0000, 0001, 0010, 0011, 0100, 0101, 0110, 0111, 0200, 0201, 0210, 0211, 1100, 1101, 1110, 1111, 1200, 1201
 * pso: 1210, 1211, 2100, 2101, 2110, 2111, 2200, 2201, 2210, 2211
 */
#include "litmus.h"

static volatile int x, y, z;
static int r0, r1, r2, r3;

THREAD(p0)
{
    y = 1;
    x = 1;
}

THREAD(p1)
{
    x = 2;
    z = 1;
}

THREAD(p2)
{
    r0 = x;
    r1 = x;
}

THREAD(p3)
{
    r2 = z;
    r3 = y;
}

int main(void)
{
    RUN(p0, p1, p2, p3);
    printf("%d%d%d%d\n", r0, r1, r2, r3);
    return 0;
}
