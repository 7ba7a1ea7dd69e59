/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to data
 * options: --races
 *
 * There is one post too many at the start: the wait may come before the data. In the order in which everything is as it should be,
 * a wait that took the first post has been ordered behind the second one all the same.
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *make(void *unused) {
    data = 1;
    sem_post(&ready);
    return unused;
}

static void *use(void *unused) {
    sem_wait(&ready);
    data++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    sem_init(&ready, 0, 1);
    pthread_create(&first, 0, make, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
