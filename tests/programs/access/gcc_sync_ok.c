/* rscale-test
 * verdict: clean
 * scope: all
 *
 * One builtin that adds and tells what was there.
 */
#include <assert.h>
#include <pthread.h>

static int tickets;
static int served[2];

static void *adds(void *unused)
{
    int mine = __sync_fetch_and_add(&tickets, 1);
    served[mine & 1] = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(served[0] && served[1]);
    return 0;
}
