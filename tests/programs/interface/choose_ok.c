/* rscale-test
 * verdict: clean
 * executions: none=6 nsb=6
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 0\n" 0:"1 1\n" 0:"2 0\n" 0:"2 1\n"
 *
 * All numbers are tried, in a program without threads too.
 */
#include "../../../scheduler/include/rscale.h"
#include <stdio.h>

int main(void) {
    unsigned first = rscale_choose(3), second = rscale_choose(2);
    printf("%u %u\n", first, second);
    return 0;
}
