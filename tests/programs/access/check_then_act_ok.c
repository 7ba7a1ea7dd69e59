/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Both threads look whether somebody has come before, and come; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static char taken;
static int owners[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *owner)
{
    pthread_mutex_lock(&lock);
    if (!taken) {
        taken = 1;
        ++*(int *)owner;
    }
    pthread_mutex_unlock(&lock);
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
