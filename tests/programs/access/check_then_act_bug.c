/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Both threads look whether somebody has come before, and come.
 */
#include <assert.h>
#include <pthread.h>

static char taken;
static int owners[2];

static void *adds(void *owner)
{
    if (!taken) {
        taken = 1;
        ++*(int *)owner;
    }
    return owner;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, &owners[0]);
    adds(&owners[1]);
    pthread_join(other, NULL);
    assert(owners[0] + owners[1] == 1);
    return 0;
}
