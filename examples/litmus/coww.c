/* litmus: coherence: two stores to one location
 * prints: x
 * sc: 2, 3
 * tso: 2, 3
 * pso: 2, 3
 */
#include "litmus.h"

static volatile int x;

THREAD(p0)
{
    x = 1;
    x = 2;
}

THREAD(p1)
{
    x = 3;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d\n", x);
    return 0;
}
