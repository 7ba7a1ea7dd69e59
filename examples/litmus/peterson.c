/* litmus: Peterson's algorithm
 * prints: violations
 * sc: 0
 * tso: 0, 1
 * pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int flag[2], turn;

static void lock(int i)
{
    flag[i] = 1;
    LEAVING(); /* the turn is given away behind the flag */
    turn = 1 - i;
    ENTERED();
    while (flag[1 - i] && turn == 1 - i)
        ;
}

static void unlock(int i) { flag[i] = 0; }
