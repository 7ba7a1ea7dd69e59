/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * What `xsave` writes beyond its first byte is written, too: the control word of vector arithmetic, at 24.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    char bytes[4096];
} area __attribute__((aligned(64)));
static int seen;

static void *looks(void *unused)
{
    seen = *(volatile int *)&area.bytes[24];
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, looks, NULL);
    __asm__ volatile("xsave %0" : "+m"(area) : "a"(3), "d"(0));
    pthread_join(other, NULL);
    assert(seen != 0);
    return 0;
}
