/* SCALE's indexer (thesis, appendix A.2.1): threads insert into a shared hash table. Up to 11 threads never touch the
 * same slot, so their order can not matter; a partial order reduction should see that.
 *
 *   cc -g -O1 -pthread -DN=4 indexer.c
 */
#include <pthread.h>

#define SIZE 128
#define MAX 4
#ifndef N
#define N 4
#endif

int table[SIZE];
pthread_mutex_t slot_lock[SIZE];
pthread_t workers[N];

static int compare_and_set(int slot, int expected, int value) {
    int done = 0;
    pthread_mutex_lock(&slot_lock[slot]);
    if (table[slot] == expected) {
        table[slot] = value;
        done = 1;
    }
    pthread_mutex_unlock(&slot_lock[slot]);
    return done;
}

static void insert_all(int id) {
    for (int m = 1; m <= MAX; m++) {
        int message = m * 11 + id;
        int slot = message * 7 % SIZE;
        while (!compare_and_set(slot, 0, message))
            slot = (slot + 1) % SIZE;
    }
}

static void *worker(void *id) {
    insert_all((int)(long)id);
    return NULL;
}

int main(void) {
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&slot_lock[i], NULL);
    for (int i = 0; i < N - 1; i++)
        pthread_create(&workers[i], NULL, worker, (void *)(long)i);
    insert_all(N - 1);
    for (int i = 0; i < N - 1; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_destroy(&slot_lock[i]);
    return 0;
}
