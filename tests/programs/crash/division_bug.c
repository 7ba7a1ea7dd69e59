/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGFPE
 * location: division_bug.c:27
 *
 * An average before there is anything to average.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sum, count;

static void *adds(void *unused) {
    pthread_mutex_lock(&lock);
    sum += 4;
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    pthread_mutex_lock(&lock);
    volatile int average = sum / count; /* here */
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return average == 4 ? 0 : 1;
}
