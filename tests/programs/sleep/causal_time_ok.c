/* rscale-test
 * verdict: clean
 *
 * A thread that was woken never sees an earlier time than the one that woke it; a joined thread's time has passed.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static sem_t done;
static struct timespec posted;

static int is_after(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

static void *sleeps(void *unused) {
    usleep(1500);
    clock_gettime(CLOCK_MONOTONIC, &posted);
    sem_post(&done);
    usleep(1000);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec woken, joined;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, sleeps, NULL);
    usleep(100);
    sem_wait(&done);
    clock_gettime(CLOCK_MONOTONIC, &woken);
    assert(is_after(woken, posted));
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &joined);
    posted.tv_nsec += 1000000;
    posted.tv_sec += posted.tv_nsec / 1000000000;
    posted.tv_nsec %= 1000000000;
    assert(is_after(joined, posted));
    return 0;
}
