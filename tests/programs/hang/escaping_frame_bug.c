/* rscale-test
 * verdict: bug
 * kind: hang
 * scope: all
 * options: --hang-limit 100ms
 * location: escaping_frame_bug.c:22
 * levels: -O1
 * isolation: snapshot
 * threads-engine: no
 *
 * A thread counts for ever in a frame whose address another thread has: a loop that is watched, and no step in it.
 */
#include <pthread.h>
#include <stddef.h>

static volatile long *volatile counter;

static void *counts(void *unused)
{
    volatile long count = 0;
    counter = &count;
    while (count >= 0) count = (count + 1) & 0xffff;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    pthread_join(thread, NULL);
    return 0;
}
