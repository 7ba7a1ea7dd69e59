/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGSEGV
 * location: null_bug.c:30
 *
 * The configuration is not there yet, in one order.
 */
#include <pthread.h>
#include <stddef.h>

struct configuration {
    int level;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct configuration storage = {3}, *volatile configuration;

static void *loads(void *unused) {
    pthread_mutex_lock(&lock);
    configuration = &storage;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, loads, NULL);
    pthread_mutex_lock(&lock);
    volatile int level = configuration->level; /* here */
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return level == 3 ? 0 : 1;
}
