/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * threads-engine: no
 *
 * The bug is in functions that run on stacks which the program has made itself.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 32768 };
static volatile int counter;
static __thread ucontext_t own, back;

static void adds(void)
{
    int seen = counter;
    counter = seen + 1;
}

static void *works(void *unused)
{
    char *stack = malloc(STACK);
    getcontext(&own);
    own.uc_stack.ss_sp = stack;
    own.uc_stack.ss_size = STACK;
    own.uc_link = &back;
    makecontext(&own, adds, 0);
    swapcontext(&back, &own);
    free(stack);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, works, NULL);
    works(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
