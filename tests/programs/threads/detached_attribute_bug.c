/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: join of a detached thread
 * location: detached_attribute_bug.c:21
 */
#include <pthread.h>
#include <stddef.h>

static void *worker(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, worker, NULL);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL); /* here */
    return 0;
}
