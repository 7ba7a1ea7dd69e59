/* rscale-test
 * verdict: bug
 * kind: crash
 * message: SIGSEGV
 *
 * A recursion without end in main.
 */
static volatile int zero;

__attribute__((noinline)) static int deeper(int depth) {
    volatile char filler[1000];
    if (depth < 0)
        return 0;
    filler[depth % 1000] = (char)depth;
    return deeper(depth + 1) + filler[zero];
}

int main(void) {
    return deeper(0);
}
