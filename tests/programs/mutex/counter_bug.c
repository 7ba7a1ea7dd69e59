/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: counter == 2
 * location: counter_bug.c:32
 * runs: none=26 nsb=6
 *
 * Reads in one critical section, writes in the next: an update gets lost. Main and a thread have two critical sections
 * each. Counted by an independent enumerator.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2); /* here */
    return 0;
}
