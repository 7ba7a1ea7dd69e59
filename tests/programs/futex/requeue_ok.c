/* rscale-test
 * verdict: clean
 * scope: sync
 * outcomes: 0:"0 0\n" 0:"1 0\n" 0:"1 1\n"
 *
 * Two threads may wait on the first word. A requeue wakes one and moves the other to the second word, where a wake
 * finds it; those that come later see that the word has changed and do not wait. Printed: how many the requeue woke
 * or moved, less those that the second wake woke, and those. In numbers: nobody waited (0 0), one waited and was woken
 * (1 0), both waited, one was woken and one moved (1 1).
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second;

static void *waits(void *unused) {
    long result = syscall(SYS_futex, &first, FUTEX_WAIT, 0, NULL, NULL, 0);
    assert(result == 0 || errno == EAGAIN);
    assert(atomic_load(&first) == 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    assert(syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 1, (void *)1, &second, 5) == -1 && errno == EAGAIN);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, NULL);
    sched_yield();
    atomic_store(&first, 1);
    long touched = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 1, (void *)10, &second, 1);
    long by_first = syscall(SYS_futex, &first, FUTEX_WAKE, 10, NULL, NULL, 0);
    long by_second = syscall(SYS_futex, &second, FUTEX_WAKE, 10, NULL, NULL, 0);
    assert(by_first == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld\n", touched - by_second, by_second);
    return 0;
}
