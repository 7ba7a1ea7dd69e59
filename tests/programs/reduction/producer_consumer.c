/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * flags: -DNO_ASSERTION
 * variant: -DN=1 nsb=2 source=2 optimal=2
 * variant: -DN=2 nsb=14 source=14 optimal=14
 * variant: -DN=3 nsb=140 source=140 optimal=140 epor=140 epor-sh=140
 *
 * SCALE, appendix A.5.1, without its first assertion.
 */
#include "../../../examples/prodcons.c"
