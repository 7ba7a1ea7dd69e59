/* litmus: figure 2 of Zhang, Kusano, Wang (PLDI 2015): an error that only PSO has
 * prints: whether the flag was seen, and then not what it stands for
 * sc: 0
 * tso: 0
 * pso: 0, 1
 */
#include "litmus.h"

static volatile int x, y;
static int error;

THREAD(p0)
{
    x = 1;
    y = 1;
}

THREAD(p1)
{
    if (y == 1)
        error = x == 0;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d\n", error);
    return 0;
}
