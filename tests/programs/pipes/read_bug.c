/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: deadlock
 *
 * Nobody writes, and nobody closes the other end.
 */
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reads(void *unused) {
    char byte;
    read(ends[0], &byte, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, reads, NULL);
    pthread_join(thread, NULL);
    return 0;
}
