/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 * flags: -fopenmp
 * levels: -O1
 * options: --races
 *
 * A sum by parts: libgomp orders them, and what it does for that is no race.
 */
#include <assert.h>
#include <omp.h>

int main(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 1; i <= 4; i++)
        sum += i;
    assert(sum == 10);
    return 0;
}
