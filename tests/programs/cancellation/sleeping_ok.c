/* rscale-test
 * verdict: clean
 * outcomes: 0:"0 0 0\n" 0:"0 0 1\n" 0:"0 1 0\n" 0:"0 1 1\n" 0:"1 0 0\n" 0:"1 0 1\n" 0:"1 1 0\n" 0:"1 1 1\n"
 *
 * Every way to sleep is a cancellation point, before, during or after which the cancellation may come.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *in_sleep(void *unused) {
    sleep(1);
    return unused;
}

static void *in_nanosleep(void *unused) {
    struct timespec time = {1, 0};
    nanosleep(&time, NULL);
    return unused;
}

static void *in_clock_nanosleep(void *unused) {
    struct timespec time = {1, 0};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = {in_sleep, in_nanosleep, in_clock_nanosleep};
    int cancelled[3];
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        void *result = NULL;
        assert(pthread_create(&thread, NULL, routines[i], NULL) == 0);
        assert(pthread_cancel(thread) == 0);
        assert(pthread_join(thread, &result) == 0);
        assert(result == NULL || result == PTHREAD_CANCELED);
        cancelled[i] = result == PTHREAD_CANCELED;
    }
    printf("%d %d %d\n", cancelled[0], cancelled[1], cancelled[2]);
    return 0;
}
