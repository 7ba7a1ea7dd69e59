/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 2\n"
 *
 * Memory from mmap is the program's own: zero in each execution, unmapped or not at its end.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *adds(void *unused) {
    pthread_mutex_lock(&lock);
    shared[1]++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    int *other = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(other != MAP_FAILED && shared != MAP_FAILED);
    assert(other[5] == 0 && shared[0] == 0 && shared[1] == 0);
    other[5] = 1;
    pthread_create(&thread, NULL, adds, NULL);
    adds(NULL);
    pthread_join(thread, NULL);
    assert(mprotect(other, 4096, PROT_READ) == 0);
    printf("%d %d\n", other[5], shared[1]);
    assert(munmap(other, 8192) == 0);
    return 0;
}
