/* rscale-test
 * verdict: bug
 * threads-engine: no
 * scope: all
 * kind: crash
 * message: SIGSEGV
 *
 * A thread looks at memory that another one has yet to make readable. Whether it has is no matter of what the memory
 * holds, and nobody has touched it before.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile int *shared;

static void *looks(void *unused) {
    return shared[1] == 0 ? unused : NULL;
}

int main(void) {
    pthread_t other;
    shared = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&other, NULL, looks, NULL);
    mprotect((void *)shared, 4096, PROT_READ);
    pthread_join(other, NULL);
    return 0;
}
