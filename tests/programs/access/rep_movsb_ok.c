/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The copy is made under the lock.
 */
#include <assert.h>
#include <pthread.h>

static char message[16], copy[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *unused)
{
    pthread_mutex_lock(&lock);
    *(volatile long *)&message[0] = 7;
    *(volatile long *)&message[8] = 7;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    void *to = copy, *from = message;
    unsigned long count = sizeof copy;
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    pthread_mutex_lock(&lock);
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(copy[0] == copy[8]);
    return 0;
}
