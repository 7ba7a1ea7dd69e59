/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: WEXITSTATUS(status) == 1
 * isolation: snapshot
 *
 * The child sees the memory as it was at the fork, which may be before the thread's change.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *sets(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    int status = 0;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    pid_t child = fork();
    if (child == 0)
        _exit(ready);
    assert(waitpid(child, &status, 0) == child);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(WEXITSTATUS(status) == 1);
    return 0;
}
