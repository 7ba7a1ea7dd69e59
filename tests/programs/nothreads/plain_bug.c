/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: 1 + 1 == 3
 * location: plain_bug.c:10
 */
#include <assert.h>

int main(void) {
    assert(1 + 1 == 3); /* here */
    return 0;
}
