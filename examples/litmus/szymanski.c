/* litmus: Szymanski's algorithm, for two threads
 * prints: violations
 * sc: 0
 * tso: 0, 1, livelock
 * slow pso: 0, 1, livelock
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int flag[2];

static void lock(int i)
{
    int other = 1 - i;
    flag[i] = 1;
    ENTERED();
    while (flag[other] >= 3)
        ;
    flag[i] = 3;
    ENTERED();
    if (flag[other] == 1) {
        flag[i] = 2;
        ENTERED();
        while (flag[other] != 4)
            ;
    }
    flag[i] = 4;
    ENTERED();
    if (i == 1)
        while (flag[0] >= 2)
            ;
}

static void unlock(int i)
{
    for (int behind = 2; i == 0 && (behind == 2 || behind == 3);)
        behind = flag[1];
    flag[i] = 0;
}
