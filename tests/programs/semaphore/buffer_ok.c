/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 2 3\n"
 *
 * A bounded buffer with one slot.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t spaces, items;
static int slot;

static void *produce(void *unused) {
    for (int i = 1; i <= 3; i++) {
        assert(sem_wait(&spaces) == 0);
        assert(slot == 0);
        slot = i;
        assert(sem_post(&items) == 0);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    int got[3];
    assert(sem_init(&spaces, 0, 1) == 0 && sem_init(&items, 0, 0) == 0);
    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; i < 3; i++) {
        sem_wait(&items);
        got[i] = slot;
        slot = 0;
        sem_post(&spaces);
    }
    pthread_join(thread, NULL);
    assert(sem_destroy(&spaces) == 0 && sem_destroy(&items) == 0);
    printf("%d %d %d\n", got[0], got[1], got[2]);
    return 0;
}
