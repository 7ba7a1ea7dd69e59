/* rscale-test
 * verdict: clean
 * scope: all
 * options: --memory tso
 * outcomes: 0:"0 1\n" 0:"1 0\n" 0:"1 1\n"
 *
 * An instruction that serialises drains the store buffer: not both threads can miss the store of the other.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x, y;

static void serialise(void)
{
    unsigned a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
}

static void *first(void *seen)
{
    x = 1;
    serialise();
    *(int *)seen = y;
    return NULL;
}

static void *second(void *seen)
{
    y = 1;
    serialise();
    *(int *)seen = x;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int seen[2];
    pthread_create(&threads[0], NULL, first, &seen[0]);
    pthread_create(&threads[1], NULL, second, &seen[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d %d\n", seen[0], seen[1]);
    return 0;
}
