/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: balance == 10
 *
 * Cancelled between the two halves of a transfer. The fix would be to disable cancellation.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int balance = 10;

static void *moves(void *unused) {
    balance -= 5;
    usleep(1);
    balance += 5;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, moves, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(balance == 10);
    return 0;
}
