/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=4 nsb=1 source=1 optimal=1
 * variant: -DN=12 source=8 optimal=8
 * variant: -DN=13 source=64 optimal=64
 *
 * Seed 000, indexer0.c: the indexer with compare-and-exchange instead of mutexes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#define SIZE 128
#define MAX 4

static atomic_int table[SIZE];

static void *insert(void *number) {
    for (int i = 0; i < MAX; i++) {
        int word = i * 11 + (int)(long)number, place = word * 7 % SIZE, zero = 0;
        while (!atomic_compare_exchange_strong(&table[place], &zero, word)) {
            place = (place + 1) % SIZE;
            zero = 0;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, insert, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
