/* rscale-test
 * verdict: incomplete
 * scope: all
 * options: --filters random --max-executions 300
 *
 * A ring with two places. When the first execution begins nobody knows that the threads share it: both yield in vain, first the
 * one, then the other, and what one does in the meantime lets the other go on. By chance it ended as a livelock.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define PLACES 2
#define ITEMS 3

static int ring[PLACES];
static atomic_uint written, taken;

static int put(int item) {
    unsigned place = atomic_load_explicit(&written, memory_order_relaxed);
    if (place - atomic_load_explicit(&taken, memory_order_acquire) == PLACES)
        return 0;
    ring[place % PLACES] = item;
    atomic_store_explicit(&written, place + 1, memory_order_release);
    return 1;
}

static int get(int *item) {
    unsigned place = atomic_load_explicit(&taken, memory_order_relaxed);
    if (place == atomic_load_explicit(&written, memory_order_acquire))
        return 0;
    *item = ring[place % PLACES];
    atomic_store_explicit(&taken, place + 1, memory_order_release);
    return 1;
}

static void *produces(void *unused) {
    for (int i = 0; i < ITEMS; i++)
        while (!put(i))
            sched_yield();
    return unused;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produces, NULL);
    for (int i = 0; i < ITEMS; i++) {
        int item = -1;
        while (!get(&item))
            sched_yield();
        assert(item == i);
    }
    pthread_join(producer, NULL);
    return 0;
}
