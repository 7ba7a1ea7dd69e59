/* Threads that share counters, some of them atomic, some under a mutex. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 5000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long guarded, atomic;
static __thread long own;
static long totals[THREADS];

static void finish(void *argument) { *(long *)argument += 1; }

static void *work(void *argument) {
    long *total = argument;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        guarded += i % 7;
        pthread_mutex_unlock(&mutex);
        __atomic_fetch_add(&atomic, 1, __ATOMIC_RELAXED);
        own += i;
    }
    *total = own;
    pthread_cleanup_push(finish, total);
    pthread_exit(total);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &totals[i]);
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += *(long *)result;
    }
    printf("%ld %ld %ld\n", guarded, atomic, sum);
    return 0;
}
