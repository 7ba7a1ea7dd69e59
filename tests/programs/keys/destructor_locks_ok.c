/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 0\n" 0:"1 1\n"
 *
 * Destructors are steps of their thread like any other code: they lock, and a join waits for them. Main may look before.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void destroy(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    pthread_setspecific(key, &key);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    int before = destroyed;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d %d\n", destroyed, before);
    return 0;
}
