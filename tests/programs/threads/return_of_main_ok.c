/* rscale-test
 * verdict: clean
 * outcomes: 4:"" 4:"worker\n"
 *
 * A return from main ends the process with the threads that are left, wherever they are.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    printf("worker\n");
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_create(&thread, NULL, worker, NULL) == 0);
    return 4;
}
