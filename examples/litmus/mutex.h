/* Mutual exclusion of two threads: what the algorithms have in common. A program defines lock(i) and unlock(i); it prints how
 * often a thread found the other one in the critical section.
 *
 * ENTERED() stands behind what says that a thread wants to enter, LEAVING() before what says that it has left. With
 * -DFENCED they are the fences that the algorithm needs under TSO and PSO; without, they are nothing.
 *
 * Each thread enters once, or as often as -DFIRST=N and -DSECOND=N say.
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

#ifndef FIRST
#define FIRST 1
#endif
#ifndef SECOND
#define SECOND 1
#endif

static void lock(int i);
static void unlock(int i);
static volatile int inside;
static int violations[2];

static void section(int i)
{
    lock(i);
    violations[i] += inside;
    inside = 1;
    inside = 0;
    LEAVING();
    unlock(i);
}

static void sections(int i, int entries)
{
    for (int entry = 0; entry < entries; entry++)
        section(i);
}

THREAD(first) { sections(0, FIRST); }
THREAD(second) { sections(1, SECOND); }

int main(void)
{
    RUN(first, second);
    printf("%d\n", violations[0] + violations[1]);
    return 0;
}

#endif
