/* rscale-test
 * verdict: clean
 * threads-engine: no
 * scope: all
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 0\n" 0:"1 1\n"
 *
 * Memory loses what it holds: it is discarded, or other memory is mapped over it. To a thread that reads it, that is a
 * write.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, PROTECTION = PROT_READ | PROT_WRITE, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };

static volatile int *first, *second;
static int seen;

static void *reads_first(void *unused) {
    seen = *first;
    return unused;
}

static void *reads_second(void *unused) {
    return *second ? unused : NULL;
}

int main(void) {
    pthread_t one, other;
    void *result;
    first = mmap(NULL, PAGE, PROTECTION, FLAGS, -1, 0);
    second = mmap(NULL, PAGE, PROTECTION, FLAGS, -1, 0);
    *first = *second = 1;
    pthread_create(&one, NULL, reads_first, NULL);
    pthread_create(&other, NULL, reads_second, &one);
    madvise((void *)first, PAGE, MADV_DONTNEED);
    mmap((void *)second, PAGE, PROTECTION, FLAGS | MAP_FIXED, -1, 0);
    pthread_join(one, NULL);
    pthread_join(other, &result);
    printf("%d %d\n", seen, result != NULL);
    return 0;
}
