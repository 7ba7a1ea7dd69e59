/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * bts with a bit number beyond the word, without lock: an update of the word that has the bit.
 */
#include <assert.h>
#include <pthread.h>

static unsigned long words[2];

static void *adds(void *unused)
{
    __asm__ volatile("btsq %1, %0" : "+m"(words) : "r"(unused ? 70L : 71L) : "cc", "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(&other);
    pthread_join(other, NULL);
    assert(words[1] == (3UL << 6));
    return 0;
}
