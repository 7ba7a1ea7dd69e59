/* rscale-test
 * verdict: clean
 * runs: none=1
 * outcomes: 0:"35000\n"
 *
 * 70000 steps in one execution: longer than a chunk of the log. One thread at a time, so one schedule.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

int main(void) {
    for (int i = 0; i < 35000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", counter);
    return 0;
}
