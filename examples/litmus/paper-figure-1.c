/* litmus: figure 1 of Zhang, Kusano, Wang (PLDI 2015)
 * prints: a b
 * sc: 0 1, 1 0, 1 1
 * tso: 0 0, 0 1, 1 0, 1 1
 * pso: 0 0, 0 1, 1 0, 1 1
 */
#include "litmus.h"

static volatile int x, y;
static int a, b;

THREAD(p0)
{
    x = 1;
    a = y;
}

THREAD(p1)
{
    y = 1;
    b = x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", a, b);
    return 0;
}
