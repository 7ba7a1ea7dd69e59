/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A struct is copied while another thread changes it.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct pair {
    long left, right;
};

static struct pair shared;
static volatile size_t size = sizeof shared;

static void *changes(void *unused)
{
    ((volatile struct pair *)&shared)->left = 5;
    ((volatile struct pair *)&shared)->right = 5;
    return unused;
}

int main(void)
{
    pthread_t other;
    struct pair seen;
    pthread_create(&other, NULL, changes, NULL);
    memcpy(&seen, &shared, size);
    pthread_join(other, NULL);
    assert(seen.left == seen.right);
    return 0;
}
