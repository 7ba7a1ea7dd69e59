/* litmus: a Chase-Lev deque with two elements: its owner takes one while a thief steals twice
 * prints: how many elements they got together; one of three they got twice
 * sc: 2
 * tso: 2, 3
 * pso: 2, 3
 * fenced sc: 2
 * fenced tso: 2
 * fenced pso: 2
 */
#include "litmus.h"

#ifdef FENCED
#define FENCE() MFENCE()
#else
#define FENCE() __asm__ volatile("" ::: "memory")
#endif

static volatile long top = 0, bottom = 2;
static int taken, stolen;

static int advance(long old)
{
    return __atomic_compare_exchange_n(&top, &old, old + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

THREAD(owner)
{
    long b = bottom - 1;
    bottom = b;
    FENCE();
    long t = top;
    if (t < b) {
        taken = 1;
    } else if (t == b) {
        taken = advance(t);
        bottom = b + 1;
    } else {
        bottom = b + 1;
    }
}

static int steal(void)
{
    long t = top;
    FENCE();
    long b = bottom;
    return t < b && advance(t);
}

THREAD(thief) { stolen = steal() + steal(); }

int main(void)
{
    RUN(owner, thief);
    printf("%d\n", taken + stolen);
    return 0;
}
