/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * Each thread writes before the barrier and reads what the other wrote behind it.
 */
#include <pthread.h>

static pthread_barrier_t barrier;
static int data[2];

static void *work(void *argument) {
    int me = *(int *)argument;
    data[me] = 1;
    pthread_barrier_wait(&barrier);
    return data[1 - me] == 1 ? 0 : argument;
}

int main(void) {
    pthread_t first, second;
    int numbers[2] = {0, 1};
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&first, 0, work, &numbers[0]);
    pthread_create(&second, 0, work, &numbers[1]);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
