/* rscale-test
 * verdict: clean
 * isolation: snapshot
 * outcomes: 0:"prepare parent 1\n"
 *
 * atfork handlers run around a fork: in the parent before and after, in the child after.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int in_child;

static void prepare(void) {
    printf("prepare ");
    fflush(stdout);
}

static void parent(void) {
    printf("parent ");
}

static void child_handler(void) {
    in_child = 1;
}

int main(void) {
    int status = 0;
    assert(pthread_atfork(prepare, parent, child_handler) == 0);
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0)
        _exit(in_child);
    assert(waitpid(child, &status, 0) == child);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
