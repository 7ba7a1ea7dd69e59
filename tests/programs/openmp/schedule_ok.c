/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 * flags: -fopenmp
 * levels: -O1
 * outcomes: 0:"00\n" 0:"01\n" 0:"10\n" 0:"11\n"
 *
 * Who takes which part of a loop is decided in libgomp.
 */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int who[2];
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (int i = 0; i < 2; i++)
        who[i] = omp_get_thread_num();
    printf("%d%d\n", who[0], who[1]);
    return 0;
}
