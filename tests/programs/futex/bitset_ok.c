/* rscale-test
 * verdict: clean
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 0\n" 0:"1 1\n"
 *
 * Waiters with different bits: a wake by bits finds only those that share one. Deadlines of WAIT_BITSET are absolute.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static void *waits(void *bits) {
    long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (uint32_t)(uintptr_t)bits);
    assert(result == 0 || errno == EAGAIN);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct timespec past = {0, 1};
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &past, NULL, 1) == -1 && errno == ETIMEDOUT);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, (void *)(i + 1));
    sched_yield();
    atomic_store(&word, 1);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 10, NULL, NULL, 4) == 0);
    long of_first = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 10, NULL, NULL, 1);
    long of_second = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 10, NULL, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld\n", of_first, of_second);
    return 0;
}
