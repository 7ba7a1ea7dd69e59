/* rscale-test
 * verdict: clean
 * scope: all
 * endless: lcd
 * executions: optimal=3 source=3 dpor=3 nsb=3
 *
 * A thread that looks at a flag under a lock, again and again, waits: it is not scheduled until somebody else has had the lock.
 * The flag is set before its first round, before its second one, or while it waits.
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_done, value;

static void *works(void *unused) {
    value = 7;
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int looks(void) {
    pthread_mutex_lock(&lock);
    int seen = is_done;
    pthread_mutex_unlock(&lock);
    return seen;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, works, NULL);
    while (!looks())
        sched_yield();
    int seen = value;
    pthread_join(worker, NULL);
    return seen != 7;
}
