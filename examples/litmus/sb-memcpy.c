/* litmus: SB with stores by the library: what memcpy, memset and strcpy store is delayed like any other store
 * prints: r0 r1
 * sc: 0 1, 1 0, 1 1
 * tso: 0 0, 0 1, 1 0, 1 1
 * pso: 0 0, 0 1, 1 0, 1 1
 */
#include "litmus.h"
#include <string.h>

static int x, y;
static const int one = 1;
static volatile size_t length = sizeof(int); /* so that the compiler calls the functions */
static int r0, r1;

THREAD(p0)
{
    memcpy(&x, &one, length);
    r0 = *(volatile int *)&y;
}

THREAD(p1)
{
    memcpy(&y, &one, length);
    r1 = *(volatile int *)&x;
}

int main(void)
{
    RUN(p0, p1);
    printf("%d %d\n", r0, r1);
    return 0;
}
