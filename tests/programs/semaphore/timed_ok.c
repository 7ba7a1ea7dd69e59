/* rscale-test
 * verdict: clean
 * outcomes: 0:"taken\n" 0:"time-out\n"
 *
 * A timed wait may give up only while there is nothing to take.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t items;

static void *posts(void *unused) {
    sem_post(&items);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {1, 0}, invalid = {1, 2000000000}, deadline;
    sem_init(&items, 0, 1);
    assert(sem_timedwait(&items, &past) == 0);
    assert(sem_timedwait(&items, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_timedwait(&items, &invalid) == -1 && errno == EINVAL);
    assert(sem_clockwait(&items, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
    pthread_create(&thread, NULL, posts, NULL);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int result = sem_timedwait(&items, &deadline);
    assert(result == 0 || errno == ETIMEDOUT);
    pthread_join(thread, NULL);
    printf("%s\n", result == 0 ? "taken" : "time-out");
    return 0;
}
