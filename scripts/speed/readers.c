/* One writer and N readers of a variable; with -DCALLS the accesses are operations of the thread library instead. */
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 15
#endif

#ifdef CALLS
static sem_t cell;
#define READ() ({ int value; sem_getvalue(&cell, &value); value; })
#define WRITE() sem_post(&cell)
#else
static volatile int cell;
#define READ() cell
#define WRITE() (cell = 1)
#endif

static void *reader(void *argument) {
    return READ() ? argument : 0;
}

static void *writer(void *argument) {
    WRITE();
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
#ifdef CALLS
    sem_init(&cell, 0, 0);
#endif
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, reader, 0);
    pthread_create(&threads[N], 0, writer, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
