/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"1\n"
 *
 * WAIT returns EAGAIN when the word has changed, ETIMEDOUT when time is up, 0 when woken; WAKE counts.
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
#include <time.h>
#include <unistd.h>

static atomic_int word;

static long futex(int operation, int value, const struct timespec *time) {
    return syscall(SYS_futex, &word, operation, value, time, NULL, 0);
}

static void *waits(void *unused) {
    long result = futex(FUTEX_WAIT, 0, NULL);
    assert(result == 0 || (result == -1 && errno == EAGAIN));
    assert(atomic_load(&word) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec soon = {0, 1000000};
    assert(futex(FUTEX_WAIT, 7, NULL) == -1 && errno == EAGAIN);
    assert(futex(FUTEX_WAIT, 0, &soon) == -1 && errno == ETIMEDOUT);
    assert(futex(FUTEX_WAKE, 1, NULL) == 0);
    pthread_create(&thread, NULL, waits, NULL);
    sched_yield();
    atomic_store(&word, 1);
    long woken = futex(FUTEX_WAKE, 1000, NULL);
    pthread_join(thread, NULL);
    printf("%ld\n", woken);
    return 0;
}
