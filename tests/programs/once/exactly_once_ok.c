/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n"
 *
 * The routine runs once, and nobody returns before it has ended.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, ended;

static void routine(void) {
    begun++;
    sched_yield();
    ended++;
}

static void *calls(void *unused) {
    assert(pthread_once(&once, routine) == 0);
    assert(begun == 1 && ended == 1);
    assert(pthread_once(&once, routine) == 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, calls, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", ended);
    return 0;
}
