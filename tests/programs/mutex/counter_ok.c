/* rscale-test
 * verdict: clean
 * runs: none=6 nsb=2
 * executions: none=6 nsb=2
 * outcomes: 0:"2\n"
 *
 * Main and a thread add under one lock. Counted by an independent enumerator.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
