/* rscale-test
 * verdict: clean
 * options: --invariant balanced
 * outcomes: 0:"100\n"
 *
 * The invariant may take a lock that is free, and gives it back: the threads see nothing of it.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left = 50, right = 50;

int balanced(void)
{
    if (pthread_mutex_trylock(&mutex) != 0)
        return 1;
    int holds = left + right == 100;
    pthread_mutex_unlock(&mutex);
    return holds;
}

static void *transfer(void *amount)
{
    pthread_mutex_lock(&mutex);
    left -= *(int *)amount;
    right += *(int *)amount;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    int amounts[2] = { 10, -20 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, transfer, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", left + right);
    return 0;
}
