/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * message: last == 2 && middle == 2
 * flags: -fno-builtin
 *
 * Moves two words up by one, the upper one first: in between the value stands there twice.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static long queue[3] = {1, 2, 0};

static void *first(void *unused) {
    memmove(queue + 1, queue, 2 * sizeof *queue);
    return unused;
}

static void *second(void *unused) {
    long last = queue[2], middle = queue[1];
    assert(!(last == 2 && middle == 2));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    assert(queue[1] == 1 && queue[2] == 2);
    return 0;
}
