/* rscale-test
 * verdict: clean
 * outcomes: 0:"0 10 20\n"
 *
 * Each thread has its own __thread variables and errno, starting from the initial values.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

static __thread int mine = 7;
static __thread char zeros[100];

static void *worker(void *argument) {
    int base = (int)(intptr_t)argument;
    assert(mine == 7 && zeros[99] == 0 && errno == 0);
    mine = base;
    errno = base + 1;
    zeros[99] = 1;
    sched_yield();
    assert(errno == base + 1);
    return (void *)(intptr_t)mine;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    mine = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(10 * (i + 1)));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    assert(zeros[99] == 0);
    printf("%d %ld %ld\n", mine, (long)(intptr_t)results[0], (long)(intptr_t)results[1]);
    return 0;
}
