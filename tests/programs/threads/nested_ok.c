/* rscale-test
 * verdict: clean
 * scope: all
 * executions: optimal=2
 *
 * A pointer to a nested function: GCC puts code on the stack, and the stack is one that code can run on.
 */
#include <assert.h>
#include <pthread.h>

static volatile int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *call(void *function) {
    ((void (*)(void))function)();
    return NULL;
}

int main(void) {
    int step = 1;
    void add(void) {
        pthread_mutex_lock(&lock);
        int old = counter;
        counter = old + step;
        pthread_mutex_unlock(&lock);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, call, (void *)add);
    add();
    pthread_join(thread, NULL);
    assert(counter == 2 * step);
    return 0;
}
