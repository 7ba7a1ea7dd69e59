/* SCALE's bug for comparison with Inspect (thesis, appendix A.6): one thread adds 1 to x, the other doubles it, each in two
 * critical sections. From 2, the orders give 6, 5, 4 or 3; the assertion forbids 5, which takes the whole doubling
 * before the whole addition: no preemption inside, and yet only some orders show it.
 *
 *   cc -g -O1 -pthread inspectbug.c
 */
#include <assert.h>
#include <pthread.h>

int x = 2;
pthread_mutex_t lock;

static int load(void) {
    pthread_mutex_lock(&lock);
    int value = x;
    pthread_mutex_unlock(&lock);
    return value;
}

static void store(int value) {
    pthread_mutex_lock(&lock);
    x = value;
    pthread_mutex_unlock(&lock);
}

static void add_one(void) {
    store(load() + 1);
}

static void *twice(void *unused) {
    store(load() * 2);
    return unused;
}

int main(void) {
    pthread_t doubler;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&doubler, NULL, twice, NULL);
    add_one();
    pthread_join(doubler, NULL);
    pthread_mutex_destroy(&lock);
    assert(x != 5);
    return 0;
}
