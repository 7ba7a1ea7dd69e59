/* rscale-test
 * verdict: clean
 * outcomes: 0:"2\n"
 *
 * A routine that is cancelled has not run: the next caller runs it again.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, may_end;

static void routine(void) {
    begun++;
    if (!may_end)
        pthread_exit(NULL);
}

static void *calls(void *unused) {
    pthread_once(&once, routine);
    assert(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, calls, NULL);
    pthread_join(thread, NULL);
    may_end = 1;
    assert(pthread_once(&once, routine) == 0);
    assert(pthread_once(&once, routine) == 0);
    printf("%d\n", begun);
    return 0;
}
