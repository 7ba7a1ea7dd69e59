/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: never_alone (
 * options: --invariant never_alone
 *
 * Each thread writes a variable of its own: the two steps commute, and their order matters to the invariant alone.
 */
#include <pthread.h>

static volatile int x, y;

int never_alone(void) { return !(x == 0 && y == 1); }

static void *write_x(void *unused)
{
    x = 1;
    return unused;
}

static void *write_y(void *unused)
{
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, write_x, NULL);
    pthread_create(&two, NULL, write_y, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
