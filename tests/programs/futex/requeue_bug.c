/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * A waiter is moved to a second word, where nobody wakes it.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second;

static void *waits(void *unused) {
    syscall(SYS_futex, &first, FUTEX_WAIT, 0, NULL, NULL, 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, NULL);
    sched_yield();
    atomic_store(&first, 1);
    syscall(SYS_futex, &first, FUTEX_REQUEUE, 1, (void *)10, &second, 0);
    syscall(SYS_futex, &first, FUTEX_WAKE, 10, NULL, NULL, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
