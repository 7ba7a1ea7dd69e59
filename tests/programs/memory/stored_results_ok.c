/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0000\n" 0:"0001\n" 0:"0011\n" 0:"0111\n" 0:"1111\n"
 *
 * What functions store through a pointer is there for others once it has been stored: a block, a key, a time, a state.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *volatile block;
static volatile pthread_key_t key = -1;
static volatile struct timespec now;
static volatile int state = -1;

static void *fills(void *unused) {
    if (posix_memalign((void **)&block, 64, 64))
        abort();
    pthread_key_create((pthread_key_t *)&key, NULL);
    clock_gettime(CLOCK_REALTIME, (struct timespec *)&now);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, (int *)&state);
    return unused;
}

int main(void) {
    pthread_t thread;
    int seen[4];
    pthread_create(&thread, NULL, fills, NULL);
    seen[3] = state != -1;
    seen[2] = now.tv_sec != 0;
    seen[1] = key != (pthread_key_t)-1;
    seen[0] = block != NULL;
    pthread_join(thread, NULL);
    printf("%d%d%d%d\n", seen[3], seen[2], seen[1], seen[0]);
    free(block);
    return 0;
}
