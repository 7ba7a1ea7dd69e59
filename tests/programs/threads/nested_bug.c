/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: total == 2
 *
 * Main waits for the child, but the child does not wait for the grandchild.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(void) {
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
}

static void *grandchild(void *unused) {
    add();
    return unused;
}

static void *child(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, grandchild, NULL);
    pthread_detach(thread);
    add();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    assert(total == 2);
    pthread_mutex_unlock(&lock);
    return 0;
}
