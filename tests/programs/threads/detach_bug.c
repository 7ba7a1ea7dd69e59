/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: detached
 *
 * The thread detaches itself, main joins it: depending on the order one of the two is wrong.
 */
#include <pthread.h>
#include <stddef.h>

static void *detaches_itself(void *unused) {
    pthread_detach(pthread_self());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, detaches_itself, NULL);
    pthread_join(thread, NULL);
    return 0;
}
