/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Jumps back between the read and the write; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *unused)
{
    jmp_buf back;
    volatile int seen = 0;
    pthread_mutex_lock(&lock);
    if (setjmp(back) == 0) {
        seen = shared;
        longjmp(back, 1);
    }
    shared = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared == 2);
    return 0;
}
