/* rscale-test
 * verdict: clean
 * options: --invariant is_whole
 * scope: all
 *
 * The main thread changes it when it is alone, but never breaks it.
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
    whole = 2;
    whole = 1;
    return 0;
}
