/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * An array of atomic integers in the heap, each for a piece of data.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ring { _Atomic int slots[2]; int data[2]; };

static volatile int sum;

static void *make(void *argument) {
    struct ring *ring = argument;
    for (int index = 0; index < 2; index++) {
        ring->data[index] = index + 1;
        atomic_store_explicit(&ring->slots[index], 1, memory_order_release);
    }
    return 0;
}

static void *use(void *argument) {
    struct ring *ring = argument;
    for (int index = 0; index < 2; index++)
        if (ring->slots[index])
            sum += ring->data[index];
    return 0;
}

int main(void) {
    pthread_t first, second;
    struct ring *ring = calloc(1, sizeof(struct ring));
    pthread_create(&first, 0, make, ring);
    pthread_create(&second, 0, use, ring);
    pthread_join(first, 0);
    pthread_join(second, 0);
    free(ring);
    return 0;
}
