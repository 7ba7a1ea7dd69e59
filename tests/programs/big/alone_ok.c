/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * outcomes: 0:"60000\n"
 *
 * A thread that is alone in the program has no choice to offer, and its operations need no budget.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

int main(void) {
    for (int i = 0; i < 60000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", counter);
    return 0;
}
