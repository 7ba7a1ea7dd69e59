/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: join of a thread that was joined before, or that another thread is joining
 *
 * Main and a helper join the same thread.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_t shared;

static void *nothing(void *unused) {
    return unused;
}

static void *joins(void *unused) {
    pthread_join(shared, NULL);
    return unused;
}

int main(void) {
    pthread_t helper;
    pthread_create(&shared, NULL, nothing, NULL);
    pthread_create(&helper, NULL, joins, NULL);
    pthread_join(shared, NULL);
    pthread_join(helper, NULL);
    return 0;
}
