/* rscale-test
 * verdict: clean
 *
 * Whatever random numbers come, they are the same in each execution, or the search would see a different program: the
 * number of steps depends on them.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void step(unsigned times) {
    for (unsigned i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

static void *other(void *unused) {
    step(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    unsigned char bytes[4];
    pthread_create(&thread, NULL, other, NULL);
    assert(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    step(bytes[0] % 2u);
    assert(getentropy(bytes, sizeof bytes) == 0);
    step(bytes[1] % 2u);
    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    step((unsigned)rand() % 2u);
    step((unsigned)random() % 2u);
    pthread_join(thread, NULL);
    return 0;
}
