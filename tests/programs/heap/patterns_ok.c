/* rscale-test
 * verdict: clean
 * outcomes: 0:"ok\n"
 *
 * Every allocation function: alignment, contents, sizes, zero sizes, overflows, in two threads.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_aligned(const void *pointer, size_t alignment) {
    return (uintptr_t)pointer % alignment == 0;
}

static void *uses(void *unused) {
    volatile size_t huge = SIZE_MAX;
    void *pointer = NULL;
    char *zeros = calloc(100, 7);
    for (int i = 0; i < 700; i++)
        assert(zeros[i] == 0);
    memset(zeros, 1, 700);
    zeros = realloc(zeros, 70000);
    for (int i = 0; i < 700; i++)
        assert(zeros[i] == 1);
    zeros = realloc(zeros, 10);
    assert(zeros[9] == 1 && malloc_usable_size(zeros) >= 10 && is_aligned(zeros, 16));
    free(zeros);
    char *fresh = realloc(NULL, 20);
    assert(fresh);
    free(fresh);
    assert(posix_memalign(&pointer, 256, 10) == 0 && is_aligned(pointer, 256));
    free(pointer);
    assert(posix_memalign(&pointer, 3, 10) == EINVAL);
    pointer = aligned_alloc(4096, 8192);
    assert(pointer && is_aligned(pointer, 4096));
    pointer = realloc(pointer, 100);
    free(pointer);
    pointer = memalign(64, 1);
    assert(is_aligned(pointer, 64));
    free(pointer);
    void *empty = malloc(0), *other = malloc(0);
    assert(empty && other && empty != other);
    free(empty);
    free(other);
    free(NULL);
    assert(malloc(huge) == NULL && errno == ENOMEM);
    assert(calloc(huge / 2, 3) == NULL && errno == ENOMEM);
    assert(reallocarray(NULL, huge / 2, 3) == NULL && errno == ENOMEM);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
    uses(NULL);
    pthread_join(thread, NULL);
    printf("ok\n");
    return 0;
}
