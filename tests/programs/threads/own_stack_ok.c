/* rscale-test
 * verdict: clean
 * outcomes: 0:"on its own stack\n"
 *
 * A thread runs on the stack that the program provides.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define SIZE (256 << 10)

static _Alignas(4096) char stack[SIZE];

static void *where(void *result) {
    volatile char local = 0;
    *(uintptr_t *)result = (uintptr_t)&local;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    void *base = NULL;
    uintptr_t address = 0;
    size_t size = 0;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstack(&attributes, stack, SIZE) == 0);
    assert(pthread_attr_getstack(&attributes, &base, &size) == 0 && base == stack && size == SIZE);
    assert(pthread_create(&thread, &attributes, where, &address) == 0);
    pthread_attr_destroy(&attributes);
    assert(pthread_join(thread, NULL) == 0);
    assert(address >= (uintptr_t)stack && address < (uintptr_t)stack + SIZE);
    printf("on its own stack\n");
    return 0;
}
