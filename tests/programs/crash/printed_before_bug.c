/* rscale-test
 * verdict: bug
 * kind: crash
 * scope: all
 * options: --keep-going
 * outcomes: 132:"" 132:"L" 132:"Ld" 0:"Ld2"
 * executions: source=8 dpor=8 nsb=8 superstep=20 nsb,superstep=8
 *
 * A thread crashes where it reads what main has written, and another one prints, twice, with a step in between that has nothing to do
 * with it: how much of that there is before the crash can be seen.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *crashes(void *unused) {
    if (value == 2)
        __builtin_trap();
    return unused;
}

static void *prints(void *unused) {
    put("L");
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    put("d");
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = { crashes, prints };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    value = 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    put("2");
    return 0;
}
