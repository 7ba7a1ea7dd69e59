/* rscale-test
 * verdict: clean
 * scope: all
 *
 * A thread lets the others run until one of them says so, which happens.
 */
#include <pthread.h>
#include <sched.h>

static volatile int flag;

static void *waits(void *unused) {
    while (!flag)
        sched_yield();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    flag = 1;
    pthread_join(thread, NULL);
    return 0;
}
