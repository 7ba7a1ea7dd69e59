/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: crash
 * message: killed by SIGKILL
 *
 * The program kills itself: nobody else did.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *end(void *unused) {
    kill(getpid(), SIGKILL);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, end, NULL);
    pthread_join(other, NULL);
    return 0;
}
