/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: x != 5
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * executions: nsb=6 source=6 optimal=6
 *
 * SCALE, appendix A.6: two critical sections each, in any order.
 */
#include "../../../examples/inspectbug.c"
