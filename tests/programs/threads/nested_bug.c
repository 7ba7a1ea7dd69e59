/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 *
 * A pointer to a nested function: GCC puts code on the stack, and the stack is one that code can run on.
 */
#include <assert.h>
#include <pthread.h>

static volatile int counter;

static void *call(void *function) {
    ((void (*)(void))function)();
    return NULL;
}

int main(void) {
    int step = 1;
    void add(void) {
        int old = counter;
        counter = old + step;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, call, (void *)add);
    add();
    pthread_join(thread, NULL);
    assert(counter == 2 * step);
    return 0;
}
