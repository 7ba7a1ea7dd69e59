/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: unlock of a mutex that another thread holds
 * location: trylock_bug.c:16
 *
 * Takes no notice of trylock's failure.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *unused) {
    pthread_mutex_trylock(&lock);
    pthread_mutex_unlock(&lock); /* here */
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, tries, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
