/* rscale-test
 * verdict: clean
 *
 * A thread has the stack that it asks for, also one that is larger than usual.
 */
#include <alloca.h>
#include <assert.h>
#include <pthread.h>

enum { SIZE = 40 << 20 };

static void *deep(void *argument) {
    volatile char *block = alloca(SIZE);
    for (int i = 0; i < SIZE; i += 1 << 16)
        block[i] = 1;
    return argument;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t threads[2];
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 64 << 20) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], &attributes, deep, NULL) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
