/* rscale-test
 * verdict: clean
 * outcomes: 0:"ab\n" 0:"ba\n"
 *
 * A signal may wake any of the waiters, not the one that came first.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t here = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static int arrived, tickets, length;
static char order[3];

static void *waits(void *letter) {
    pthread_mutex_lock(&lock);
    while (arrived != (*(char *)letter == 'b'))
        pthread_cond_wait(&here, &lock); /* a arrives first, always */
    arrived++;
    pthread_cond_broadcast(&here);
    while (tickets == 0)
        pthread_cond_wait(&go, &lock);
    tickets--;
    order[length++] = *(char *)letter;
    pthread_cond_signal(&here);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char letters[] = "ab";
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, &letters[i]);
    pthread_mutex_lock(&lock);
    while (arrived < 2)
        pthread_cond_wait(&here, &lock);
    for (int i = 0; i < 2; i++) {
        tickets++;
        pthread_cond_signal(&go);
        while (length <= i)
            pthread_cond_wait(&here, &lock);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", order);
    return 0;
}
