/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: never_in_the_middle (
 * options: --invariant never_in_the_middle
 * scope: all
 *
 * The other thread has to write between two writes of the first, and no two of the three accesses conflict.
 */
#include <pthread.h>

static volatile int begun, ended, other;

int never_in_the_middle(void) { return !(begun == 1 && ended == 0 && other == 1); }

static void *begin_and_end(void *unused)
{
    begun = 1;
    ended = 1;
    return unused;
}

static void *change(void *unused)
{
    other = 1;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, begin_and_end, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
