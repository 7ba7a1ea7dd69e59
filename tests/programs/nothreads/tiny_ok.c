/* rscale-test
 * verdict: clean
 * executions: none=1 nsb=1
 * outcomes: 7:""
 *
 * The one function has no room for a jump to its clone, and needs none.
 */
int main(void) { return 7; }
