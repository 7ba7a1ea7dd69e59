/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Looks with one builtin and adds with another.
 */
#include <assert.h>
#include <pthread.h>

static int tickets;
static int served[2];

static void *adds(void *unused)
{
    int mine = __sync_fetch_and_or(&tickets, 0);
    __sync_add_and_fetch(&tickets, 1);
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
