/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: deadlock
 *
 * poll for ever on a pipe that nobody writes to.
 */
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *polls(void *unused) {
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    poll(&wanted, 1, -1);
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, polls, NULL);
    pthread_join(thread, NULL);
    return 0;
}
