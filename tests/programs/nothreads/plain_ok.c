/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * executions: none=1 nsb=1
 * outcomes: 6:"no threads\n"
 *
 * A program without threads has one schedule.
 */
#include <stdio.h>

int main(void) {
    puts("no threads");
    return 6;
}
