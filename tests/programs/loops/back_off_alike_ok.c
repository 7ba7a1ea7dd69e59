/* rscale-test
 * verdict: clean
 * scope: all
 * options: --max-steps 2000
 *
 * Two philosophers who put back their own fork where they do not get the other one, and begin anew with their own. They
 * may do so for ever: such an execution ends with its steps, but leaves nothing unexplored.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t forks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int meals;

static void *eats(void *argument)
{
    long own = (long)argument;
    while (1) {
        pthread_mutex_lock(&forks[own]);
        if (pthread_mutex_trylock(&forks[1 - own]) == 0)
            break;
        pthread_mutex_unlock(&forks[own]);
    }
    meals++;
    pthread_mutex_unlock(&forks[1 - own]);
    pthread_mutex_unlock(&forks[own]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, eats, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(meals == 2);
    return 0;
}
