/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Filling by one instruction takes its time: the reader may see half of it.
 */
#include <assert.h>
#include <pthread.h>

static char buffer[16];

static void *fills(void *unused)
{
    void *to = buffer;
    unsigned long count = sizeof buffer;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, fills, NULL);
    char first = *(volatile char *)&buffer[0];
    char last = *(volatile char *)&buffer[15];
    pthread_join(other, NULL);
    assert(first == last);
    return 0;
}
