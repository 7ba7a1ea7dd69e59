/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Counts in a field of an object on the heap.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    char name[20];
    long balance;
};


static void *adds(void *argument)
{
    struct account *account = argument;
    account->balance += 10;
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
