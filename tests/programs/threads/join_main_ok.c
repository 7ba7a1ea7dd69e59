/* rscale-test
 * verdict: clean
 * outcomes: 0:"joined 5\n"
 *
 * A thread may join the main thread, which ends by pthread_exit.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *joins_main(void *unused) {
    void *result;
    (void)unused;
    assert(pthread_join(main_thread, &result) == 0);
    printf("joined %ld\n", (long)(intptr_t)result);
    return NULL;
}

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    assert(pthread_create(&thread, NULL, joins_main, NULL) == 0);
    pthread_exit((void *)5);
}
