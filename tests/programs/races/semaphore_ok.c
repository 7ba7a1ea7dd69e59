/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * A semaphore hands data on.
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
    sem_init(&ready, 0, 0);
    pthread_create(&first, 0, make, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return data - 2;
}
