/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * Readers read, and the writer writes.
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;

static void *look(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int seen = hits;
    pthread_rwlock_unlock(&lock);
    return seen > 1 ? &hits : unused;
}

static void *count(void *unused) {
    pthread_rwlock_wrlock(&lock);
    hits++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second, third;
    pthread_create(&first, 0, look, 0);
    pthread_create(&second, 0, look, 0);
    pthread_create(&third, 0, count, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(third, 0);
    return hits - 1;
}
