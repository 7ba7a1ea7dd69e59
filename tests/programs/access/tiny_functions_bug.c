/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * levels: -Os
 *
 * Functions of three bytes, one behind the other: there is no room for a jump in place of them.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int counter;
static int *const volatile place = &counter;

__attribute__((noinline, noclone, aligned(1))) int get(volatile int *from)
{
    return *from;
}

__attribute__((noinline, noclone, aligned(1))) void put(volatile int *to, int value)
{
    *to = value;
}

static void *adds(void *unused)
{
    put(place, get(place) + 1);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
