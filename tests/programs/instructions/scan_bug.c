/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * levels: -O0
 *
 * What a repeated scan reads is a race like any other.
 */
#include <assert.h>
#include <pthread.h>

static char text[8] = "abcdef";

static unsigned long scan(const char *at) {
    unsigned long left = -1UL;
    __asm__ volatile("repne scasb" : "+D"(at), "+c"(left) : "a"(0) : "memory", "cc");
    return ~left - 1;
}

static void *cuts(void *unused) {
    text[3] = 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, cuts, NULL);
    assert(scan(text) == 6);
    pthread_join(thread, NULL);
    return 0;
}
