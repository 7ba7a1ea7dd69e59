/* rscale-test
 * verdict: clean
 * outcomes: 0:"a\n" 0:"b\n"
 *
 * A signal wakes any of the waiters also where it is sent in an atomic section, and although one of them waits in one.
 */
#include "../../../scheduler/include/rscale.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static int waiters, first;

static void wait_for_go(char letter) {
    pthread_mutex_lock(&lock);
    waiters++;
    pthread_cond_signal(&changed);
    pthread_cond_wait(&go, &lock);
    if (first == 0)
        first = letter;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *plain(void *unused) {
    wait_for_go('a');
    return unused;
}

static void *in_section(void *unused) {
    rscale_atomic_begin();
    wait_for_go('b');
    rscale_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, plain, NULL);
    pthread_create(&threads[1], NULL, in_section, NULL);
    pthread_mutex_lock(&lock);
    while (waiters < 2)
        pthread_cond_wait(&changed, &lock);
    rscale_atomic_begin();
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    rscale_atomic_end();
    pthread_mutex_lock(&lock);
    while (first == 0)
        pthread_cond_wait(&changed, &lock);
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%c\n", first);
    return 0;
}
