/* rscale-test
 * verdict: bug
 * kind: assertion
 * options: --keep-going
 * outcomes: 134:"" 134:"t" 0:"t" 0:"w"
 * executions: optimal=7 source=7 dpor=7 epor=7 nsb=7 nsb,superstep=7
 *
 * A thread waits for a time while another one aborts: what it does when the time is over comes before that, or is lost.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int waits;

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *aborts(void *unused) {
    pthread_mutex_lock(&lock);
    int was_waiting = waits;
    pthread_mutex_unlock(&lock);
    if (was_waiting)
        abort();
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, aborts, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&lock);
    waits = 1;
    put(pthread_cond_timedwait(&told, &lock, &until) == 0 ? "w" : "t");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
