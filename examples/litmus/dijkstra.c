/* litmus: Dijkstra's algorithm (1965), for two threads
 * prints: violations
 * sc: 0
 * tso: 0, 1
 * slow pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int wants[2], passes[2], turn;

static void lock(int i)
{
    wants[i] = 1;
    ENTERED();
    for (;;) {
        while (turn != i)
            if (!wants[turn])
                turn = i;
        passes[i] = 1;
        ENTERED();
        if (!passes[1 - i])
            return;
        passes[i] = 0;
        while (passes[1 - i])
            ;
    }
}

static void unlock(int i)
{
    passes[i] = 0;
    wants[i] = 0;
}
