/* rscale-test
 * verdict: clean
 * scope: all
 * executions: nsb=1 optimal=1
 *
 * Memory is unmapped when nobody uses it any more, by the thread that used it last; most of it was never touched.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static char *shared;

static void *unmap(void *unused) {
    shared[5000] = 3;
    munmap(shared, (size_t)1 << 30);
    return unused;
}

int main(void) {
    pthread_t other;
    shared = mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shared[0] = 1;
    pthread_create(&other, NULL, unmap, NULL);
    pthread_join(other, NULL);
    return 0;
}
