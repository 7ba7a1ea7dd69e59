/* rscale-test
 * verdict: bug
 * threads-engine: no
 * scope: all
 * kind: crash
 * message: SIGSEGV
 *
 * A thread unmaps memory that another one still writes to, if it comes first.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static char *shared;

static void *unmap(void *unused) {
    munmap(shared, 8192);
    return unused;
}

int main(void) {
    pthread_t other;
    shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shared[0] = 1;
    pthread_create(&other, NULL, unmap, NULL);
    shared[0] = 2;
    pthread_join(other, NULL);
    return 0;
}
