/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: crash
 * message: SIGSEGV
 * location: stack_bug.c
 *
 * A recursion without end in a thread.
 */
#include <pthread.h>
#include <stddef.h>

static volatile int zero;

__attribute__((noinline)) static int deeper(int depth) {
    volatile char filler[1000];
    if (depth < 0)
        return 0;
    filler[depth % 1000] = (char)depth;
    return deeper(depth + 1) + filler[zero];
}

static void *recurses(void *unused) {
    zero += deeper(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, recurses, NULL);
    pthread_join(thread, NULL);
    return 0;
}
