/* litmus: store buffering where each thread sees its own store early (iwp2.4)
 * prints: r0 r1 r2 r3
 * sc: 1 0 1 1, 1 1 1 0, 1 1 1 1
 * tso: 1 0 1 0, 1 0 1 1, 1 1 1 0, 1 1 1 1
 * pso: 1 0 1 0, 1 0 1 1, 1 1 1 0, 1 1 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1, r2, r3;

THREAD(p0)
{
    x = 1;
    r0 = x;
    r1 = y;
}

THREAD(p1)
{
    y = 1;
    r2 = y;
    r3 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d %d %d\n", r0, r1, r2, r3);
    return 0;
}
