/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A copy by one instruction takes its time: half of the message may be old.
 */
#include <assert.h>
#include <pthread.h>

static char message[16], copy[16];

static void *changes(void *unused)
{
    *(volatile long *)&message[0] = 7;
    *(volatile long *)&message[8] = 7;
    return unused;
}

int main(void)
{
    void *to = copy, *from = message;
    unsigned long count = sizeof copy;
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
    pthread_join(other, NULL);
    assert(copy[0] == copy[8]);
    return 0;
}
