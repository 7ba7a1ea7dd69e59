/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The other way round: a first place that was seen unchanged is never greater than the second.
 */
#include <assert.h>
#include <pthread.h>

static volatile long first, second;

static void *changes(void *unused)
{
    second = 1;
    first = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    volatile long *one = &first, *two = &second;
    char is_greater;
    __asm__ volatile("cmpsq; setg %2" : "+S"(one), "+D"(two), "=r"(is_greater) : : "memory", "cc");
    pthread_join(other, NULL);
    assert(!is_greater);
    return 0;
}
