/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * The routine calls pthread_once on its own flag.
 */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void routine(void) {
    pthread_once(&once, routine);
}

int main(void) {
    pthread_once(&once, routine);
    return 0;
}
