/* Mutual exclusion of two threads: what the algorithms have in common. A program defines lock(i) and unlock(i); it prints how
 * often a thread found the other one in the critical section.
 *
 * ENTERED() stands behind what says that a thread wants to enter, LEAVING() before what says that it has left. With
 * -DFENCED they are the fences that the algorithm needs under TSO and PSO; without, they are nothing.
 */
#ifndef MUTEX_H
#define MUTEX_H

#include "litmus.h"

#ifdef FENCED
#define ENTERED() MFENCE()
#define LEAVING() SFENCE()
#else
#define ENTERED() __asm__ volatile("" ::: "memory")
#define LEAVING() __asm__ volatile("" ::: "memory")
#endif

static void lock(int i);
static void unlock(int i);
static volatile int inside;
static int violations[2];

static void section(int i)
{
    lock(i);
    violations[i] = inside;
    inside = 1;
    inside = 0;
    LEAVING();
    unlock(i);
}

THREAD(first) { section(0); }
THREAD(second) { section(1); }

int main(void)
{
    RUN(first, second);
    printf("%d\n", violations[0] + violations[1]);
    return 0;
}

#endif
