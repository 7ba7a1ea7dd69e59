/* rscale-test
 * verdict: clean
 * scope: all
 * options: --memory pso
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 1\n"
 *
 * `clflush` is ordered with all stores: those before it become visible before those behind it, whatever line it flushes.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int data, flag;
static char other_line[64];

static void *send(void *unused)
{
    data = 1;
    __asm__ volatile("clflush %0" : : "m"(other_line[0]) : "memory");
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    int is_there = flag, received = data;
    pthread_join(sender, NULL);
    printf("%d %d\n", is_there, received);
    return 0;
}
