/* A tight loop of accesses that no other thread makes: what a hook costs. The argument is the number of rounds. */
#include <pthread.h>
#include <stdlib.h>

static volatile long cells[64];

static void *idle(void *argument) {
    return argument;
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? atol(arguments[1]) : 0;
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    for (long i = 0; i < rounds; i++)
        cells[i & 63] = i;
    pthread_join(thread, 0);
    return 0;
}
