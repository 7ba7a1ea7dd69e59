/* rscale-test
 * verdict: clean
 * outcomes: 0:"handler value again again again end\n"
 *
 * At a thread's end: cleanup handlers first, then destructors, each with its value and the key empty again. A destructor
 * that sets the value anew is called again, four rounds in all. NULL values and main's return call none.
 */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t stubborn, empty, of_main;

static void destroy(void *value) {
    assert(pthread_getspecific(stubborn) == NULL);
    printf("%s ", (char *)value);
    pthread_setspecific(stubborn, "again");
}

static void never(void *value) {
    assert(value == NULL && value != NULL);
}

static void handler(void *text) {
    printf("%s ", (char *)text);
    pthread_setspecific(stubborn, "value");
}

static void *worker(void *unused) {
    pthread_setspecific(empty, "something");
    pthread_setspecific(empty, NULL);
    pthread_cleanup_push(handler, "handler");
    pthread_exit(unused);
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_t thread;
    assert(PTHREAD_DESTRUCTOR_ITERATIONS == 4);
    assert(pthread_key_create(&stubborn, destroy) == 0);
    assert(pthread_key_create(&empty, never) == 0);
    assert(pthread_key_create(&of_main, never) == 0);
    pthread_setspecific(of_main, "main");
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    printf("end\n");
    return 0;
}
