/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: two threads join each other
 */
#include <pthread.h>
#include <stddef.h>

static pthread_t parent;

static void *joins_parent(void *unused) {
    pthread_join(parent, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    parent = pthread_self();
    pthread_create(&thread, NULL, joins_parent, NULL);
    pthread_join(thread, NULL);
    return 0;
}
