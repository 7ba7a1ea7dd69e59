/* rscale-test
 * verdict: clean
 * outcomes: 5:"" 5:"printed"
 * executions: optimal=21 source=21 dpor=21 nsb=21
 *
 * Two threads end the process, and a third one prints something: each end is a step, also while another thread is about to take
 * one, and so the third one may come before both.
 */
#include <pthread.h>
#include <unistd.h>

static void *ends(void *unused) {
    _exit(5);
    return unused;
}

static void *prints(void *unused) {
    if (write(STDOUT_FILENO, "printed", 7) != 7)
        _exit(6);
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = { ends, ends, prints };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
