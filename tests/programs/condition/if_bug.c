/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: items > 0
 *
 * Two consumers, one item each for two signals; a consumer that was woken does not look again, and another was faster.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&filled, &lock);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void produce(void) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_t consumers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    produce();
    produce();
    for (int i = 0; i < 2; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
