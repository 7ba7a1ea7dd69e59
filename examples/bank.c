/* Two clerks transfer money at the same time. Every access to a balance is under the bank's lock, so there is no data
 * race; but a transfer reads the balances in one critical section and writes them in another, and in between the
 * other clerk may do the same. Then money is made or lost. With -DFIXED a transfer is one critical section.
 *
 *   rscale run examples/bank.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { CHECKING, SAVINGS, ACCOUNTS };

struct transfer {
    int from, to, amount;
};

int balance[ACCOUNTS] = {100, 100};
pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;

static void *clerk(void *order) {
    const struct transfer *transfer = order;

    pthread_mutex_lock(&bank);
    int from = balance[transfer->from];
    int to = balance[transfer->to];
#ifndef FIXED
    pthread_mutex_unlock(&bank);
    /* Fills in the form. The other clerk may change the balances now. */
    pthread_mutex_lock(&bank);
#endif
    balance[transfer->from] = from - transfer->amount;
    balance[transfer->to] = to + transfer->amount;
    pthread_mutex_unlock(&bank);
    return NULL;
}

int main(void) {
    struct transfer orders[] = {{CHECKING, SAVINGS, 10}, {SAVINGS, CHECKING, 25}};
    pthread_t clerks[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&clerks[i], NULL, clerk, &orders[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(clerks[i], NULL);

    printf("checking %d, savings %d\n", balance[CHECKING], balance[SAVINGS]);
    assert(balance[CHECKING] == 115 && balance[SAVINGS] == 85);
    return 0;
}
