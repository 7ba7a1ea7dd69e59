/* rscale-test
 * verdict: clean
 * scope: all
 *
 * All fields are under the lock.
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
    fields.free++;
    pthread_mutex_unlock(&lock);
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
