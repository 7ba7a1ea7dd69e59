/* rscale-test
 * verdict: clean
 * threads-engine: no
 * scope: all
 * options: --memory tso
 * outcomes: 0:"1\n" 0:"2\n"
 *
 * A store that faults has not been made: there is nothing to become visible before the handler has made the memory
 * writable and the instruction begins anew.
 */
#include "../memory/handled_fault_ok.c"
