/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A copy from the end: who sees its first word sees all of it.
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
    long *source = &from[1];
    volatile long *target = &to[1];
    unsigned long count = 2;
    __asm__ volatile("std; rep movsq; cld" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
    pthread_join(other, NULL);
    return 0;
}
