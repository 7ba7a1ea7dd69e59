/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: is_whole (
 * options: --invariant is_whole
 * scope: all
 *
 * The main thread breaks it for a moment when it is alone: that is no scheduling point, but a state.
 */
#include <pthread.h>

static volatile int whole = 1;

int is_whole(void) { return whole; }

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    whole = 0;
    whole = 1;
    return 0;
}
