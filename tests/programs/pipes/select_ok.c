/* rscale-test
 * verdict: clean
 * outcomes: 0:"first\n" 0:"second\n" 0:"both\n"
 *
 * select on two pipes: whichever is written first, or both.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

static int pipes[2][2];

static void *writes(void *end) {
    assert(write(*(int *)end, "x", 1) == 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    fd_set set;
    FD_ZERO(&set);
    for (int i = 0; i < 2; i++) {
        assert(pipe(pipes[i]) == 0);
        FD_SET(pipes[i][0], &set);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writes, &pipes[i][1]);
    int count = select(pipes[1][1] + 1, &set, NULL, NULL, NULL);
    int first = FD_ISSET(pipes[0][0], &set), second = FD_ISSET(pipes[1][0], &set);
    assert(count == !!first + !!second);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", count == 2 ? "both" : first ? "first" : "second");
    return 0;
}
