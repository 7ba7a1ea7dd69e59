/* An account that must never be overdrawn: a global invariant says so, and rscale evaluates it in every state.
 *
 *     rscale run examples/account.c --invariant solvent
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

/* True in every state of a correct program. Nothing calls it but rscale. */
int solvent(void) { return balance >= 0; }

/* For `rscale replay --eval`. */
int current_balance(void) { return balance; }

static void *withdraw(void *amount)
{
    pthread_mutex_lock(&mutex);
    int is_covered = balance >= *(int *)amount;
    pthread_mutex_unlock(&mutex);
    if (is_covered) {
        pthread_mutex_lock(&mutex);
        balance -= *(int *)amount;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    int amounts[2] = { 60, 70 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, withdraw, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
