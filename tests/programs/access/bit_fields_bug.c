/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Two bit-fields share their word: who writes one writes the other.
 */
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned left : 4;
    unsigned right : 4;
} flags;

static void *sets_right(void *unused)
{
    flags.right = 5;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, sets_right, NULL);
    flags.left = 3;
    pthread_join(other, NULL);
    assert(flags.left == 3 && flags.right == 5);
    return 0;
}
