/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 * flags: -fopenmp
 * levels: -O1
 * options: --races
 *
 * A message behind a flag that OpenMP reads and writes atomically: the instructions are plain moves.
 */
#include <assert.h>
#include <pthread.h>

static int message, flag;

static void *sends(void *unused) {
    message = 42;
#pragma omp atomic write seq_cst
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t sender;
    int has_come;
    pthread_create(&sender, NULL, sends, NULL);
#pragma omp atomic read seq_cst
    has_come = flag;
    if (has_come)
        assert(message == 42);
    pthread_join(sender, NULL);
    return 0;
}
