/* rscale-test
 * verdict: clean
 * outcomes: 0:"busy 3\n" 0:"joined 3\n"
 *
 * tryjoin fails with EBUSY while the thread runs.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *three(void *unused) {
    (void)unused;
    return (void *)3;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    assert(pthread_create(&thread, NULL, three, NULL) == 0);
    int error = pthread_tryjoin_np(thread, &result);
    assert(error == 0 || error == EBUSY);
    if (error == EBUSY) {
        assert(result == NULL);
        assert(pthread_join(thread, &result) == 0);
    }
    printf("%s %ld\n", error == EBUSY ? "busy" : "joined", (long)(intptr_t)result);
    return 0;
}
