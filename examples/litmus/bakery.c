/* litmus: Lamport's bakery, for two threads
 * prints: violations
 * sc: 0
 * tso: 0, 1
 * pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "mutex.h"

static volatile int choosing[2], number[2];

static void lock(int i)
{
    int other = 1 - i;
    choosing[i] = 1;
    ENTERED();
    number[i] = 1 + number[other];
    LEAVING();
    choosing[i] = 0;
    ENTERED();
    while (choosing[other])
        ;
    while (number[other] != 0 && (number[other] < number[i] || (number[other] == number[i] && other < i)))
        ;
}

static void unlock(int i) { number[i] = 0; }
