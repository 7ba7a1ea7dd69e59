/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Others come between the read and the write of one instruction.
 */
#include <assert.h>
#include <pthread.h>

static volatile long from, to;

static void *changes(void *unused)
{
    from = 1;
    to = 2;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    volatile long *target = &to, *source = &from;
    __asm__ volatile("movsq" : "+D"(target), "+S"(source) : : "memory");
    pthread_join(other, NULL);
    assert(to != 0);
    return 0;
}
