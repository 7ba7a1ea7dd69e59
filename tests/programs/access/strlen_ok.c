/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A string grows while its length is taken; the zero behind it moves; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char text[40] = "ab";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *grows(void *unused)
{
    pthread_mutex_lock(&lock);
    *(volatile char *)&text[2] = 'c';
    *(volatile char *)&text[3] = 'd';
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    size_t length;
    pthread_create(&other, NULL, grows, NULL);
    pthread_mutex_lock(&lock);
    length = strlen(text);
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(length == 2 || length == 4);
    return 0;
}
