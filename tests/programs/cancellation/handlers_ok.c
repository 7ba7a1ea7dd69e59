/* rscale-test
 * verdict: clean
 * outcomes: 0:"popped 3 2 1 end\n"
 *
 * Handlers run in the reverse order, at pthread_exit too; pop(1) runs one, pop(0) none.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void say(void *text) {
    printf("%s ", (char *)text);
}

static void inner(void) {
    pthread_cleanup_push(say, "3");
    pthread_exit((void *)42);
    pthread_cleanup_pop(0);
}

static void *worker(void *unused) {
    pthread_cleanup_push(say, "1");
    pthread_cleanup_push(say, "never");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(say, "popped");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(say, "2");
    inner();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, worker, NULL);
    assert(pthread_join(thread, &result) == 0 && result == (void *)42);
    printf("end\n");
    return 0;
}
