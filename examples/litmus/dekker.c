/* litmus: Dekker's algorithm
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
    ENTERED();
    while (flag[1 - i]) {
        if (turn != i) {
            flag[i] = 0;
            while (turn != i)
                ;
            flag[i] = 1;
            ENTERED();
        }
    }
}

static void unlock(int i)
{
    turn = 1 - i;
    LEAVING();
    flag[i] = 0;
}
