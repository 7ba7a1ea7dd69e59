/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * options: --keep-going
 * outcomes: 134:"" 0:"11\n"
 * executions: optimal=14 source=14 dpor=14 nsb=14
 *
 * Whoever reads before the write ends the process for all. What comes before such an end matters, though it has nothing to do with
 * it: the execution in which all goes well begins with the last thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int value;
static int seen[2];

static void *reads(void *place) {
    *(int *)place = value;
    if (*(int *)place == 0)
        abort();
    return NULL;
}

static void *writes(void *unused) {
    value = 1;
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reads, &seen[i]);
    pthread_create(&threads[2], NULL, writes, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", seen[0], seen[1]);
    return 0;
}
