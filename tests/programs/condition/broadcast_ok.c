/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"1\n" 0:"2\n"
 *
 * A broadcast lets all waiters pass, however many there are; one at a time holds the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_, waited, inside;

static void *passes(void *unused) {
    pthread_mutex_lock(&lock);
    if (!open_)
        waited++;
    while (!open_)
        assert(pthread_cond_wait(&opened, &lock) == 0);
    assert(inside++ == 0);
    pthread_mutex_trylock(&lock);
    inside--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, passes, NULL);
    pthread_mutex_lock(&lock);
    open_ = 1;
    assert(pthread_cond_broadcast(&opened) == 0);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", waited);
    return 0;
}
