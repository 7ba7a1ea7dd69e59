/* rscale-test
 * verdict: clean
 * outcomes: 0:"busy\n" 0:"free\n"
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int error;

static void *tries(void *unused) {
    error = pthread_spin_trylock(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == 0)
        pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, tries, NULL);
    pthread_spin_lock(&lock);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%s\n", error ? "busy" : "free");
    return 0;
}
