/* rscale-test
 * verdict: clean
 * options: --invariant never_too_many
 *
 * Each thread writes a variable of its own; the invariant holds whatever the order.
 */
#include <pthread.h>

static volatile int x, y;

int never_too_many(void) { return x + y <= 2; }

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
