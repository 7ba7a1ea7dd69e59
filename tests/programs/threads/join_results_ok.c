/* rscale-test
 * verdict: clean
 * outcomes: 0:"7 49\n"
 *
 * join hands over what a thread returned or gave to pthread_exit.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void leave(long value) {
    pthread_exit((void *)value);
}

static void *returns(void *value) {
    return value;
}

static void *leaves(void *value) {
    leave((long)value * (long)value);
    assert(0);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    void *a, *b;
    assert(pthread_create(&first, NULL, returns, (void *)7) == 0);
    assert(pthread_create(&second, NULL, leaves, (void *)7) == 0);
    assert(pthread_join(first, &a) == 0);
    assert(pthread_join(second, &b) == 0);
    printf("%ld %ld\n", (long)(intptr_t)a, (long)(intptr_t)b);
    return 0;
}
