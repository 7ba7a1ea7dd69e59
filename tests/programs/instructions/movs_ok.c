/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A lock keeps others from coming between the read and the write.
 */
#include <assert.h>
#include <pthread.h>

static volatile long from, to;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *unused)
{
    pthread_mutex_lock(&lock);
    from = 1;
    to = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    volatile long *target = &to, *source = &from;
    pthread_mutex_lock(&lock);
    __asm__ volatile("movsq" : "+D"(target), "+S"(source) : : "memory");
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(to != 0);
    return 0;
}
