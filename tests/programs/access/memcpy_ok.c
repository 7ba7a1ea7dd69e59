/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A struct is copied while another thread changes it; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct pair {
    long left, right;
};

static struct pair shared;
static volatile size_t size = sizeof shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *unused)
{
    pthread_mutex_lock(&lock);
    ((volatile struct pair *)&shared)->left = 5;
    ((volatile struct pair *)&shared)->right = 5;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    struct pair seen;
    pthread_create(&other, NULL, changes, NULL);
    pthread_mutex_lock(&lock);
    memcpy(&seen, &shared, size);
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(seen.left == seen.right);
    return 0;
}
