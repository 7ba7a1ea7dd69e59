/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 *
 * Large blocks are freed and used again; what was never accessed is no exception.
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
    block[5 * USED + 12345] = 1;
    pthread_create(&other, NULL, frees, NULL);
    pthread_join(other, NULL);
    block = calloc(SIZE / 4, 1);
    return block[SIZE / 8];
}
