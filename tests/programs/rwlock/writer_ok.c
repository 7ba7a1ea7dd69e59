/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"2\n"
 *
 * A writer excludes readers: they see both writes or none.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *writes(void *unused) {
    assert(pthread_rwlock_wrlock(&lock) == 0);
    left = 1;
    sched_yield();
    right = 1;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    int sum = left + right;
    assert(pthread_rwlock_unlock(&lock) == 0);
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    return 0;
}
