/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=1 source=6 optimal=6
 * variant: -DN=2 source=90 optimal=90 epor=90 epor-sh=90
 * variant: -DN=3 source=2292 optimal=2292
 *
 * SCALE, appendix A.3.1, without its output, whose order would count. A signal wakes any one of the waiters, and that one
 * may take the mutex back before or behind what the signaller does next with it.
 */
#include <stdio.h>

#define printf(...) ((void)0)
#ifndef N
#define N 1
#endif
#include "../../../examples/threadpool.c"
