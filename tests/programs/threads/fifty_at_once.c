/* rscale-test
 * verdict: incomplete
 * options: --max-executions 30
 *
 * Fifty threads at once: far too many schedules to visit them all.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *number) {
    pthread_mutex_lock(&lock);
    total += (int)(long)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[50];
    for (long i = 0; i < 50; i++)
        assert(pthread_create(&threads[i], NULL, add, (void *)(i + 1)) == 0);
    for (int i = 0; i < 50; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    assert(total == 1275);
    return 0;
}
