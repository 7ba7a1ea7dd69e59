/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * executions: nsb=6 dpor=6 source=6 optimal=6 epor=6 epor-sh=6
 *
 * Seed 000, account.c and lazy.c: three threads, each with one critical section of one mutex. What they do in it is no
 * difference to a reduction: 3! orders.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1, is_deposited, is_withdrawn;

static void *deposit(void *unused) {
    pthread_mutex_lock(&lock);
    balance += 2;
    is_deposited = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused) {
    pthread_mutex_lock(&lock);
    balance -= 4;
    is_withdrawn = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *check(void *unused) {
    pthread_mutex_lock(&lock);
    if (is_deposited && is_withdrawn)
        assert(balance == -1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    void *(*const roles[])(void *) = {check, deposit, withdraw};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, roles[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
