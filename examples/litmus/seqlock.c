/* litmus: a sequence lock: a reader takes two words that belong together, and looks whether a writer came between
 * prints: whether the reader took words that do not belong together for good
 * sc: 0
 * tso: 0
 * pso: 0, 1
 * fenced sc: 0
 * fenced tso: 0
 * fenced pso: 0
 */
#include "litmus.h"

#ifdef FENCED
#define FENCE() SFENCE()
#else
#define FENCE() __asm__ volatile("" ::: "memory")
#endif

static volatile int sequence, first, second;
static int is_torn;

THREAD(writer)
{
    sequence = 1;
    FENCE();
    first = 1;
    second = 1;
    FENCE();
    sequence = 2;
}

THREAD(reader)
{
    int before = sequence;
    int one = first, other = second;
    int after = sequence;
    is_torn = before == after && before % 2 == 0 && one != other;
}

int main(void)
{
    RUN(writer, reader);
    printf("%d\n", is_torn);
    return 0;
}
