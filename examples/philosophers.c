/* Dining philosophers: N of them, each takes the fork on the left, then the one on the right. When all have the left one,
 * nobody goes on: a deadlock, with a cycle of N. With -DORDERED the forks are taken in order of their number, and all eat.
 *
 *   cc -g -O1 -pthread -DN=3 philosophers.c
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t forks[N];

static void *dine(void *seat) {
    int left = (int)(long)seat, right = (left + 1) % N;
#ifdef ORDERED
    if (left > right) {
        int other = left;
        left = right;
        right = other;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    /* eats */
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void) {
    pthread_t philosophers[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&philosophers[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(philosophers[i], NULL);
    return 0;
}
