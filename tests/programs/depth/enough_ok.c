/* rscale-test
 * verdict: clean
 * options: --filters db=40
 * outcomes: 0:"2\n"
 *
 * A bound that no execution reaches takes nothing away.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *takes(void *unused) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, takes, NULL);
    takes(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
