/* rscale-test
 * verdict: clean
 * runs: none=19 nsb=1
 * executions: none=19 nsb=1
 * outcomes: 0:""
 *
 * Two threads that only start and end. By hand: main is create 1, create 2, join 1, join 2, exit; each thread is start,
 * exit; join k needs exit k. Counted by an independent enumerator as well (linear extensions of that order).
 */
#include <pthread.h>
#include <stddef.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, nothing, NULL);
    pthread_create(&second, NULL, nothing, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
