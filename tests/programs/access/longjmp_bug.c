/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Jumps back between the read and the write.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static int shared;

static void *adds(void *unused)
{
    jmp_buf back;
    volatile int seen = 0;
    if (setjmp(back) == 0) {
        seen = shared;
        longjmp(back, 1);
    }
    shared = seen + 1;
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
