/* rscale-test
 * verdict: clean
 * options: --invariant is_ready
 *
 * What the main thread prepares before it creates a thread is not looked at in between.
 */
#include <pthread.h>

static volatile int ready;

int is_ready(void) { return ready == 2; }

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    ready = 1;
    ready = 2;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
