/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Two threads that lock two mutexes in opposite orders, and give back what they hold where they do not get both. One of them
 * counts its rounds up to three.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutexes[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static int lock_both(int first)
{
    int rounds = 1;
    while (1) {
        pthread_mutex_lock(&mutexes[first]);
        if (pthread_mutex_trylock(&mutexes[1 - first]) == 0)
            return rounds;
        pthread_mutex_unlock(&mutexes[first]);
        first = 1 - first;
        rounds += rounds < 3;
    }
}

static void unlock_both(void)
{
    pthread_mutex_unlock(&mutexes[0]);
    pthread_mutex_unlock(&mutexes[1]);
}

static void *other(void *unused)
{
    lock_both(1);
    unlock_both();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    assert(lock_both(0) <= 3);
    unlock_both();
    pthread_join(thread, NULL);
    return 0;
}
