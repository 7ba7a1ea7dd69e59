/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * Two routines that each need the other, begun by two threads.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;

static void nothing(void) {
}

static void needs_second(void) {
    pthread_once(&second, nothing);
}

static void needs_first(void) {
    pthread_once(&first, nothing);
}

static void *other(void *unused) {
    pthread_once(&second, needs_first);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_once(&first, needs_second);
    pthread_join(thread, NULL);
    return 0;
}
