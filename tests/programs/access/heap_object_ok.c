/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Counts in a field of an object on the heap; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    char name[20];
    long balance;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *argument)
{
    struct account *account = argument;
    pthread_mutex_lock(&lock);
    account->balance += 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    struct account *account = calloc(1, sizeof *account);
    pthread_t other;
    pthread_create(&other, NULL, adds, account);
    adds(account);
    pthread_join(other, NULL);
    assert(account->balance == 20);
    free(account);
    return 0;
}
