/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The buffer is filled under the lock.
 */
#include <assert.h>
#include <pthread.h>

static char buffer[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fills(void *unused)
{
    void *to = buffer;
    unsigned long count = sizeof buffer;
    pthread_mutex_lock(&lock);
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, fills, NULL);
    pthread_mutex_lock(&lock);
    char first = *(volatile char *)&buffer[0];
    char last = *(volatile char *)&buffer[15];
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(first == last);
    return 0;
}
