/* rscale-test
 * verdict: clean
 * outcomes: 0:"3 4 5 3\n"
 *
 * Descriptor numbers are the same in every execution: what an execution opens is closed before the next.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *nothing(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    int ends[2];
    pthread_create(&thread, NULL, nothing, NULL);
    assert(pipe(ends) == 0);
    int copy = dup(ends[0]);
    nothing(NULL);
    assert(close(ends[0]) == 0);
    int again = open("/dev/null", O_RDONLY);
    pthread_join(thread, NULL);
    printf("%d %d %d %d\n", ends[0], ends[1], copy, again);
    return 0;
}
