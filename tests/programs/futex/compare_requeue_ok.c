/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"-1\n" 0:"0\n"
 *
 * A requeue compares the word with what the program expects there: it fails as long as another thread has not written
 * that. Nobody waits.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first, second;

static void *writes(void *unused)
{
    first = 1;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    long moved = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)1, &second, 1);
    pthread_join(other, NULL);
    printf("%ld\n", moved);
    return 0;
}
