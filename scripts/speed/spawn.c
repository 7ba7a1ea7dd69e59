/* Microseconds of fork + exec + wait of a program, the measure that scripts/bench holds executions against.
 *
 *   spawn COUNT PROGRAM [ARGUMENTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[1]) : 0;
    if (count <= 0)
        return 2;
    double start = now();
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            execv(argv[2], argv + 2);
            _exit(127);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
            return 1;
    }
    printf("%.1f\n", (now() - start) / count);
    return 0;
}
