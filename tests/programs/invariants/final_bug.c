/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: is_whole (
 * options: --invariant is_whole
 *
 * The main thread breaks it when it is alone, right before the end.
 */
#include <pthread.h>

static int whole = 1;

int is_whole(void) { return whole; }

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    whole = 0;
    return 0;
}
