/* rscale-test
 * verdict: bug
 * kind: crash
 * threads-engine: no
 *
 * A thread raises a signal that nobody handles while its key is destroyed.
 */
#include <pthread.h>
#include <signal.h>

static pthread_key_t key;

static void destroy(void *unused) {
    (void)unused;
    raise(SIGTERM);
}

static void *end(void *unused) {
    pthread_setspecific(key, &key);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, end, 0);
    pthread_join(thread, 0);
    return 0;
}
