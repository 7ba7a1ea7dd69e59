/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Others see the first word of a copy before the second.
 */
#include <assert.h>
#include <pthread.h>

static long from[2] = {1, 1};
static volatile long to[2];

static void *looks(void *unused)
{
    long low = to[0];
    assert(low == 0 || to[1] == 1);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, looks, NULL);
    long *source = &from[0];
    volatile long *target = &to[0];
    unsigned long count = 2;
    __asm__ volatile("rep movsq" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
    pthread_join(other, NULL);
    return 0;
}
