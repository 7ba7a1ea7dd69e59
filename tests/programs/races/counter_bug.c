/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to counter: read at
 * location: counter_bug.c:15
 * options: --races
 *
 * Two threads count without a lock.
 */
#include <pthread.h>

static int counter;

static void *work(void *unused) { counter++; return unused; }

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
