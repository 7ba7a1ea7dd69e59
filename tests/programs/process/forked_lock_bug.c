/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: status == 0
 * isolation: exec
 * scope: sync
 *
 * The child needs a lock that another thread may hold at the moment of the fork: in the child nobody will ever give it back.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, works, NULL);
    pid_t child = fork();
    if (child == 0) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++;
        _exit(pthread_mutex_timedlock(&lock, &soon) != 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert(status == 0);
    pthread_join(thread, NULL);
    return 0;
}
