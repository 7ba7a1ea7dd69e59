/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n"
 *
 * The fixed one: a semaphore orders, the sleep is only a delay.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t done;
static int ready;

static void *sets(void *unused) {
    usleep(1000);
    ready = 1;
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, sets, NULL);
    usleep(2000);
    sem_wait(&done);
    assert(ready);
    pthread_join(thread, NULL);
    printf("%d\n", ready);
    return 0;
}
