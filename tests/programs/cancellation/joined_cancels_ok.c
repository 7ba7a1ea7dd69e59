/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"early" 0:"late"
 *
 * A thread cancels the one that waits for its end, and goes on: who is cancelled need not wait for that.
 */
#include <pthread.h>
#include <unistd.h>

static pthread_t joiner;
static int x;

static void say(void *unused) {
    (void)unused;
    if (x ? write(1, "late", 4) != 4 : write(1, "early", 5) != 5) _exit(1);
}

static void *cancel(void *unused) {
    pthread_cancel(joiner);
    x = 1;
    return unused;
}

int main(void) {
    pthread_t other;
    joiner = pthread_self();
    pthread_create(&other, 0, cancel, 0);
    pthread_cleanup_push(say, 0);
    pthread_join(other, 0);
    pthread_cleanup_pop(0);
    return 0;
}
