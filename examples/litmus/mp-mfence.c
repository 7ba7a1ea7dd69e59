/* litmus: message passing with a full fence between the stores
 * prints: r0 r1
 * sc: 0 0, 0 1, 1 1
 * tso: 0 0, 0 1, 1 1
 * pso: 0 0, 0 1, 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int r0, r1;

THREAD(p0)
{
    x = 1;
    MFENCE();
    y = 1;
}

THREAD(p1)
{
    r0 = y;
    r1 = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
