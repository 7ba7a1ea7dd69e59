/* rscale-test
 * verdict: incomplete
 * options: --max-executions 3
 *
 * Two threads with 20000 steps each: a few executions of the very many, each of them longer than it is handy.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *counts(void *unused) {
    for (int i = 0; i < 10000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    counts(NULL);
    pthread_join(thread, NULL);
    assert(counter == 20000);
    return 0;
}
