/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to shared.total
 * options: --races
 *
 * The lock protects the writer only.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int unused, total; } shared;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    shared.total += 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused) {
    int seen = shared.total;
    return seen > 2 ? &shared : unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, look, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
