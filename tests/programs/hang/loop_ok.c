/* rscale-test
 * verdict: clean
 * options: --hang-limit 5s
 *
 * A long computation is no hang.
 */
#include <pthread.h>
#include <stddef.h>

static void *computes(void *unused) {
    for (volatile int i = 0; i < 20000000; i++)
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, computes, NULL);
    pthread_join(thread, NULL);
    return 0;
}
