/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=2 -DSTEPS=1 nsb=6 source=6 optimal=6
 * variant: -DN=2 -DSTEPS=2 nsb=54 source=54 optimal=54 epor=54 epor-sh=54
 * variant: -DN=2 -DSTEPS=3 nsb=486 source=486 optimal=486
 * variant: -DN=3 -DSTEPS=1 nsb=360 source=360 optimal=360
 *
 * SCALE, appendix A.4.1.
 */
#ifndef N
#define N 2
#endif
#include "../../../examples/barrier.c"
