/* rscale-test
 * verdict: clean
 * outcomes: 0:"nothing 1 0\n" 0:"data 1 0\n"
 *
 * poll without waiting, with waiting, and with a time that passes.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *unused) {
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    assert(pipe(ends) == 0);
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    pthread_create(&thread, NULL, writes, NULL);
    int at_once = poll(&wanted, 1, 0);
    assert(at_once == 0 || at_once == 1);
    int waited = poll(&wanted, 1, -1);
    assert(wanted.revents == POLLIN);
    assert(read(ends[0], &byte, 1) == 1);
    pthread_join(thread, NULL);
    int afterwards = poll(&wanted, 1, 50);
    printf("%s %d %d\n", at_once ? "data" : "nothing", waited, afterwards);
    return 0;
}
