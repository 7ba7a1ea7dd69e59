/* SCALE's producer and consumer (thesis, appendix A.5.1): a buffer of SIZE bytes, N items, and counting semaphores made of a
 * mutex and a condition variable. A post that finds somebody waiting sets a flag; the waiter takes it down. The semaphore
 * is good for one waiter at a time only: one producer and one consumer is what this program has.
 *
 * The consumer asserts that it finds the buffer empty when it begins, which is wrong: the producer may have been faster.
 * Tools that let the creating thread run on first did not see it. -DNO_ASSERTION leaves that out, and all is well.
 *
 *   cc -g -O1 -pthread -DN=1 -DSIZE=2 prodcons.c
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef SIZE
#define SIZE 2
#endif
#ifndef N
#define N 1
#endif

struct semaphore {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    int value; /* below zero: how many wait */
    int flag;
};

static void semaphore_init(struct semaphore *semaphore, int value) {
    pthread_mutex_init(&semaphore->lock, NULL);
    pthread_cond_init(&semaphore->posted, NULL);
    semaphore->value = value;
    semaphore->flag = 0;
}

static void semaphore_destroy(struct semaphore *semaphore) {
    pthread_mutex_destroy(&semaphore->lock);
    pthread_cond_destroy(&semaphore->posted);
}

static void semaphore_wait(struct semaphore *semaphore) {
    pthread_mutex_lock(&semaphore->lock);
    if (--semaphore->value < 0) {
        while (semaphore->flag == 0)
            pthread_cond_wait(&semaphore->posted, &semaphore->lock);
        semaphore->flag = 0;
    }
    pthread_mutex_unlock(&semaphore->lock);
}

static void semaphore_post(struct semaphore *semaphore) {
    pthread_mutex_lock(&semaphore->lock);
    if (++semaphore->value <= 0) {
        semaphore->flag = 1;
        pthread_cond_signal(&semaphore->posted);
    }
    pthread_mutex_unlock(&semaphore->lock);
}

pthread_mutex_t buffer_lock;
struct semaphore items, spaces;
unsigned filled;
unsigned char buffer[SIZE];

static void *produce(void *unused) {
    for (int i = 0; i < N; i++) {
        semaphore_wait(&spaces);
        pthread_mutex_lock(&buffer_lock);
        buffer[i % SIZE] = (unsigned char)i;
        filled++;
        pthread_mutex_unlock(&buffer_lock);
        semaphore_post(&items);
    }
    return unused;
}

static void consume(void) {
#ifndef NO_ASSERTION
    assert(filled == 0);
#endif
    for (int i = 0; i < N; i++) {
        semaphore_wait(&items);
        pthread_mutex_lock(&buffer_lock);
        filled--;
        assert(buffer[i % SIZE] == (unsigned char)i);
        pthread_mutex_unlock(&buffer_lock);
        semaphore_post(&spaces);
    }
}

int main(void) {
    pthread_t producer;
    pthread_mutex_init(&buffer_lock, NULL);
    semaphore_init(&items, 0);
    semaphore_init(&spaces, SIZE);
    pthread_create(&producer, NULL, produce, NULL);
    consume();
    pthread_join(producer, NULL);
    assert(filled == 0);
    pthread_mutex_destroy(&buffer_lock);
    semaphore_destroy(&items);
    semaphore_destroy(&spaces);
    return 0;
}
