/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=4 nsb=1 dpor=1 source=1 optimal=1
 * variant: -DN=11 dpor=1 source=1 optimal=1
 * variant: -DN=12 source=8 optimal=8
 * variant: -DN=13 source=64 optimal=64 epor=64 epor-sh=64
 * variant: -DN=15 optimal=4096
 *
 * SCALE, appendix A.2.1: up to 11 threads never meet in the table; from then on, each thread more meets others three
 * times.
 */
#ifndef N
#define N 2
#endif
#include "../../../examples/indexer.c"
