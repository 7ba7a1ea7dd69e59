/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: condition wait with a mutex that the thread does not hold
 * location: without_mutex_bug.c:14
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused) {
    pthread_cond_wait(&changed, &lock); /* here */
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_cond_signal(&changed);
    pthread_join(thread, NULL);
    return 0;
}
