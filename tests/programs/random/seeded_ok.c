/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Generators keep their promises: the same seed gives the same numbers, another state other ones.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned state = 5, copy = 5;
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    assert(rand() == first && rand() == second);
    assert(rand_r(&state) == rand_r(&copy) && state == copy);
    srand48(3);
    long number = lrand48();
    srand48(3);
    assert(lrand48() == number);
    return 0;
}
