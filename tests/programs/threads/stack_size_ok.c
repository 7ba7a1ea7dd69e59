/* rscale-test
 * verdict: clean
 * outcomes: 0:"20100\n"
 *
 * A thread with a stack of 4 MiB may use 3 MiB of it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *uses_stack(void *result) {
    volatile char area[3 << 20];
    long sum = 0;
    for (size_t i = 0; i < sizeof area; i += 4096)
        area[i] = (char)(i / 4096 % 128);
    for (size_t i = 0; i <= 200; i++)
        sum += area[i % 128 * 4096] + (i < 128 ? 0 : 128);
    *(long *)result = sum;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    size_t size = 0;
    long sum = 0;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 4 << 20) == 0);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size == 4 << 20);
    assert(pthread_create(&thread, &attributes, uses_stack, &sum) == 0);
    pthread_attr_destroy(&attributes);
    assert(pthread_join(thread, NULL) == 0);
    printf("%ld\n", sum);
    return 0;
}
