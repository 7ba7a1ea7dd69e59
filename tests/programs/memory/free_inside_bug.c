/* rscale-test
 * verdict: bug
 * kind: memory
 * message: free of a pointer that was not allocated
 * flags: -w
 *
 * A pointer into the middle of a block.
 */
#include <stdlib.h>

int main(void) {
    char *volatile block = malloc(100);
    free(block + 16);
    return 0;
}
