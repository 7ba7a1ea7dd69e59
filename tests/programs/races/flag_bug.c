/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to
 * options: --races
 *
 * Publishes with a flag that is volatile, which orders nothing.
 */
#include <pthread.h>

static int data;
static volatile int flag;

static void *publish(void *unused) {
    data = 42;
    flag = 1;
    return unused;
}

static void *use(void *unused) {
    if (flag)
        data++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, publish, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
