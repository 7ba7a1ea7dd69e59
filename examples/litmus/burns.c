/* litmus: Burns' algorithm
 * prints: violations
 * sc: 0
 * tso: 0, 1
 * pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int flag[2];

static void lock(int i)
{
    flag[i] = 1;
    ENTERED();
    if (i == 0) {
        while (flag[1])
            ;
        return;
    }
    while (flag[0]) {
        flag[1] = 0;
        while (flag[0])
            ;
        flag[1] = 1;
        ENTERED();
    }
}

static void unlock(int i) { flag[i] = 0; }
