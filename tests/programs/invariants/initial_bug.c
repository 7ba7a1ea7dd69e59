/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: is_ready (
 * options: --invariant is_ready
 *
 * Nothing is ready when the first thread is created.
 */
#include <pthread.h>

static int ready;

int is_ready(void) { return ready; }

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    ready = 1;
    pthread_join(thread, NULL);
    return 0;
}
