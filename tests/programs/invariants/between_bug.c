/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: ordered (
 * location: between_bug.c:22
 * options: --invariant ordered
 * scope: all
 * threads-engine: yes
 *
 * Only one thread ever writes the two variables, so nothing but the invariant makes their accesses scheduling points: it
 * fails between the two writes.
 */
#include <pthread.h>

static volatile int first, second;

int ordered(void) { return first >= second; }

static void *work(void *unused)
{
    (void)unused;
    second = 1;
    first = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
