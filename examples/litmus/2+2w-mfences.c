/* litmus: 2+2W with fences
 * prints: x y
 * sc: 1 2, 2 1, 2 2
 * tso: 1 2, 2 1, 2 2
 * pso: 1 2, 2 1, 2 2
 */
#include "litmus.h"

static volatile int x, y;

THREAD(p0)
{
    x = 1;
    MFENCE();
    y = 2;
}

THREAD(p1)
{
    y = 1;
    MFENCE();
    x = 2;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", x, y);
    return 0;
}
