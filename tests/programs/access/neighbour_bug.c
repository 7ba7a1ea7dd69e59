/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Next to a field under a lock lies one that is not.
 */
#include <assert.h>
#include <pthread.h>

static struct {
    int locked;
    int free;
} fields;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    fields.locked++;
    pthread_mutex_unlock(&lock);
    fields.free++;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(fields.locked == 2 && fields.free == 2);
    return 0;
}
