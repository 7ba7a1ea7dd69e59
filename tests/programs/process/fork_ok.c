/* rscale-test
 * verdict: clean
 * isolation: snapshot
 * outcomes: 0:"7\n"
 *
 * A child process that ends at once, and its parent that waits for it: falls back to another isolation.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    int status = 0;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0)
        _exit(7);
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
