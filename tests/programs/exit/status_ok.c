/* rscale-test
 * verdict: clean
 * outcomes: 0:"" 3:""
 *
 * The same without the option: a status is the program's business.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *checks(void *unused) {
    pthread_mutex_lock(&lock);
    if (!ready)
        exit(3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, checks, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
