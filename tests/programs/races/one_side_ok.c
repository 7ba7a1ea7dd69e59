/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * The lock protects both, and printing needs none.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int unused, total; } shared;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    shared.total += 2;
    pthread_mutex_unlock(&lock);
    printf("added\n");
    return unused;
}

static void *look(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = shared.total;
    pthread_mutex_unlock(&lock);
    printf("seen %d\n", seen);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, look, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
