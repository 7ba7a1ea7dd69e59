/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A comparison of two places reads one after the other: what was equal all the time may differ.
 */
#include <assert.h>
#include <pthread.h>

static volatile long first, second;

static void *changes(void *unused)
{
    first = 1;
    second = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    volatile long *one = &first, *two = &second;
    char is_less;
    __asm__ volatile("cmpsq; setl %2" : "+S"(one), "+D"(two), "=r"(is_less) : : "memory", "cc");
    pthread_join(other, NULL);
    assert(!is_less);
    return 0;
}
