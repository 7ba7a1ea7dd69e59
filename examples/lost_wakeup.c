/* A lost wake-up: the consumer looks at the flag, finds nothing, and goes to wait; but it has let go of the lock in
 * between, and the producer's signal came while nobody waited. The consumer then waits for ever: a deadlock without a
 * cycle. With -DFIXED it looks and waits without letting go of the lock, in a loop.
 *
 *   cc -g -O1 -pthread lost_wakeup.c
 */
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
int message;

static void *produce(void *unused) {
    pthread_mutex_lock(&lock);
    message = 42;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return unused;
}

static int receive(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (message == 0)
        pthread_cond_wait(&arrived, &lock);
#else
    pthread_mutex_lock(&lock);
    int nothing_yet = message == 0;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (nothing_yet)
        pthread_cond_wait(&arrived, &lock);
#endif
    int received = message;
    pthread_mutex_unlock(&lock);
    return received;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    printf("%d\n", receive());
    pthread_join(producer, NULL);
    return 0;
}
