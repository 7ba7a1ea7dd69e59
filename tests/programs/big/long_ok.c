/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * outcomes: 0:"35000\n"
 *
 * 70000 steps in one execution: longer than a chunk of the log. Main waits in join, so there is one schedule.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *counts(void *unused) {
    for (int i = 0; i < 35000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, counts, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
