/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGILL
 * location: illegal_bug.c:11
 */
#include <pthread.h>
#include <stddef.h>

static void *executes(void *unused) {
    __asm__ volatile("ud2"); /* here */
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, executes, NULL);
    pthread_join(thread, NULL);
    return 0;
}
