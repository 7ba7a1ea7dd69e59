/* rscale-test
 * verdict: clean
 * outcomes: 0:"handled" 4:"" 4:"handled"
 * executions: none=10 nsb=8 optimal=8 source=8 dpor=8
 *
 * Another thread ends the process at once: before the exit of the main thread, before its exit handler has written, or
 * behind that, before the process has ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void handle(void) {
    if (write(1, "handled", 7) != 7) _exit(1);
}

static void *end(void *unused) {
    (void)unused;
    _exit(4);
}

int main(void) {
    pthread_t other;
    atexit(handle);
    pthread_create(&other, 0, end, 0);
    return 0;
}
