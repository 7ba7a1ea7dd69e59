/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to pair
 * options: --races
 *
 * The same neighbours, read as one word by a third thread: it races with both, and they do not with each other.
 */
#include <pthread.h>
#include <stdint.h>

static union {
    struct { uint16_t first, second; } parts;
    volatile uint32_t whole;
} pair;

static void *left(void *unused) { pair.parts.first = 1; return unused; }

static void *right(void *unused) { pair.parts.second = 1; return unused; }

static void *both(void *unused) {
    uint32_t seen = pair.whole;
    return seen > 0x10001 ? &pair : unused;
}

int main(void) {
    pthread_t first, second, third;
    pthread_create(&first, 0, left, 0);
    pthread_create(&second, 0, right, 0);
    pthread_create(&third, 0, both, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(third, 0);
    return 0;
}
