/* rscale-test
 * verdict: bug
 * kind: memory
 * scope: all
 * levels: -O1
 * isolation: snapshot
 *
 * Most of a large block is never accessed, until it has been freed. Before that, large blocks are freed and used again.
 */
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 64 << 20, USED = 8 << 20 };
static volatile char *block;

static void *frees(void *unused)
{
    free((void *)block);
    return unused;
}

int main(void)
{
    pthread_t other;
    for (int round = 0; round < 3; round++) {
        block = malloc(SIZE);
        for (int i = 0; i < USED; i += 4096)
            block[i] = round;
        for (int i = USED; i < SIZE; i += SIZE / 4)
            block[i] = block[i + 8];
        if (round < 2)
            free((void *)block);
    }
    pthread_create(&other, NULL, frees, NULL);
    block[5 * USED + 12345] = 1;
    pthread_join(other, NULL);
    return 0;
}
