/* litmus: Lamport's fast mutual exclusion (1987), for two threads
 * prints: violations
 * sc: 0
 * tso: 0, 1
 * slow pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int wants[2], x, y;

/* Whether the thread may enter; otherwise it has to begin again. */
static int enters(int i)
{
    wants[i] = 1;
    x = i + 1;
    ENTERED();
    if (y) {
        wants[i] = 0;
        while (y)
            ;
        return 0;
    }
    y = i + 1;
    ENTERED();
    if (x == i + 1)
        return 1;
    wants[i] = 0;
    ENTERED();
    while (wants[1 - i])
        ;
    if (y == i + 1)
        return 1;
    while (y)
        ;
    return 0;
}

static void lock(int i)
{
    while (!enters(i))
        ;
}

static void unlock(int i)
{
    y = 0;
    LEAVING();
    wants[i] = 0;
}
