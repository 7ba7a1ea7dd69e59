/* rscale-test
 * verdict: clean
 * isolation: snapshot
 * outcomes: 0:"3\n"
 *
 * Runs a command: falls back to another isolation.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int status;

static void *runs(void *unused) {
    status = system("exit 3");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, runs, NULL);
    pthread_join(thread, NULL);
    assert(WIFEXITED(status));
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
