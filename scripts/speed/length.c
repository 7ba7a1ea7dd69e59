/*
 * Executions of any length with the same few conflicts: two threads write to one variable TIMES times each, and in between
 * do what nobody else has to do with.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef LENGTH
#define LENGTH 50
#endif
#define TIMES 5
#define THREADS 2
/* Taking a lock and giving it back are two steps. */
#define ROUNDS (LENGTH / THREADS / TIMES / 2)

static volatile int shared;
static pthread_mutex_t own[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *work(void *mine) {
    for (int i = 0; i < TIMES; i++) {
        for (int j = 0; j < ROUNDS; j++) {
            pthread_mutex_lock(mine);
            pthread_mutex_unlock(mine);
        }
        shared = i;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
