/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: moved == 0
 *
 * What one execution freed is not freed in the next one, where nothing is to be decided either.
 */
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(100);
    block[0] = 1;
    char *moved = realloc(block, 20);
    assert(moved == 0);
    return 0;
}
