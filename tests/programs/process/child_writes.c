/* rscale-test
 * verdict: error
 * isolation: snapshot
 * options: --hang-limit 1s
 *
 * A thread reads what a child process writes, which is yet to be started. Programs that start others run without the
 * system-call filter, so the thread waits inside the kernel, where nobody else can run: that is no hang of the program.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void *reads(void *unused) {
    char byte;
    return read(ends[0], &byte, 1) == 1 ? unused : NULL;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, reads, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(write(ends[1], "x", 1) != 1);
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
    return 0;
}
