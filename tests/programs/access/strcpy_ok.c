/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Two strings are copied to the same buffer; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char buffer[40];
static const char *volatile texts[] = {"once upon a time", "so it goes"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writes(void *unused)
{
    pthread_mutex_lock(&lock);
    strcpy(buffer, texts[1]);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    size_t length;
    pthread_create(&other, NULL, writes, NULL);
    pthread_mutex_lock(&lock);
    strcpy(buffer, texts[0]);
    __asm__ volatile("" : : : "memory"); /* or the compiler knows the length */
    length = strlen(buffer);
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    assert(length == 16);
    return 0;
}
