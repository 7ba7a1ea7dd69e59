/* SCALE's non-blocking queue (thesis, appendix A.1): a ring of N slots after Shann, Huang and Chen, with one producer and
 * one consumer. Each slot carries a version beside its pointer, so that a slot which was emptied and filled again is not
 * mistaken for the same. Compare-and-swap is made of a mutex; reads are plain.
 *
 * It has a bug, which shows natively now and then: dequeue reads the slot, empty, then finds that the queue is not, and
 * takes it that somebody else has emptied the slot; but the producer filled it in between. An item is skipped. With
 * -DFIXED the other index is read before the slot (the repair of Colvin and Groves). To see it, rscale has to switch
 * between plain accesses. Where only operations of the thread library are scheduling points, a retry is a loop without any
 * (a hang); -DYIELD puts a yield there, and a bound (--filters nsb,db=40) ends the search.
 *
 *   cc -g -O1 -pthread -DN=2 nbqueue.c
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

#ifdef YIELD
#define GIVE_WAY() sched_yield()
#else
#define GIVE_WAY() ((void)0)
#endif

struct slot {
    int *item;
    unsigned version;
};

pthread_mutex_t cas_lock;
struct slot ring[N];
volatile unsigned front, rear;

static int swap_slot(struct slot *slot, struct slot expected, struct slot wanted) {
    int done = 0;
    pthread_mutex_lock(&cas_lock);
    if (slot->item == expected.item && slot->version == expected.version) {
        *slot = wanted;
        done = 1;
    }
    pthread_mutex_unlock(&cas_lock);
    return done;
}

static int swap_index(volatile unsigned *index, unsigned expected, unsigned wanted) {
    int done = 0;
    pthread_mutex_lock(&cas_lock);
    if (*index == expected) {
        *index = wanted;
        done = 1;
    }
    pthread_mutex_unlock(&cas_lock);
    return done;
}

static struct slot look(const volatile struct slot *slot) {
    return (struct slot){slot->item, slot->version};
}

static void enqueue(int *item) {
    for (;; GIVE_WAY()) {
        unsigned at = rear;
#ifdef FIXED
        unsigned other = front;
        struct slot seen = look(&ring[at % N]);
#else
        struct slot seen = look(&ring[at % N]);
        unsigned other = front;
#endif
        if (at != rear || at == other + N)
            continue; /* moved meanwhile, or full */
        if (seen.item == NULL) {
            struct slot filled = {item, seen.version + 1};
            if (swap_slot(&ring[at % N], seen, filled)) {
                swap_index(&rear, at, at + 1);
                return;
            }
        } else {
            swap_index(&rear, at, at + 1); /* help whoever filled it */
        }
    }
}

static int *dequeue(void) {
    for (;; GIVE_WAY()) {
        unsigned at = front;
#ifdef FIXED
        unsigned other = rear;
        struct slot seen = look(&ring[at % N]);
#else
        struct slot seen = look(&ring[at % N]);
        unsigned other = rear;
#endif
        if (at != front || at == other)
            continue; /* moved meanwhile, or empty */
        if (seen.item != NULL) {
            struct slot emptied = {NULL, seen.version + 1};
            if (swap_slot(&ring[at % N], seen, emptied)) {
                swap_index(&front, at, at + 1);
                return seen.item;
            }
        } else {
            swap_index(&front, at, at + 1); /* help whoever emptied it */
        }
    }
}

static void *produce(void *unused) {
    static int items[N];
    for (int i = 0; i < N; i++) {
        items[i] = i;
        enqueue(&items[i]);
    }
    return unused;
}

static void consume(void) {
    for (int i = 0; i < N; i++) {
        int *item = dequeue();
        assert(*item == i);
    }
}

int main(void) {
    pthread_t producer;
    pthread_mutex_init(&cas_lock, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    consume();
    pthread_join(producer, NULL);
    pthread_mutex_destroy(&cas_lock);
    return 0;
}
