/* rscale-test
 * verdict: clean
 * scope: sync
 * outcomes: 0:"" 0:"started\n"
 *
 * The process may end before its thread starts: where main returns without joining, starts and ends are not quiet.
 */
#include <pthread.h>
#include <unistd.h>

static void *say(void *unused) {
    write(1, "started\n", 8);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, say, NULL);
    return 0;
}
