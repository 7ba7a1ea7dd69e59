/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * Annotated atomic sections exclude each other.
 */
#include <pthread.h>
#include "../../../scheduler/include/rscale.h"

static int counter;

static void *work(void *unused) {
    rscale_atomic_begin();
    counter++;
    rscale_atomic_end();
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return counter - 2;
}
