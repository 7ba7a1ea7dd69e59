/* rscale-test
 * verdict: clean
 * outcomes: 0:"5 2 3\n"
 * scope: all
 *
 * Old compilers put strlen and memcmp into the code as repeated instructions with a count that is no length at all.
 */
#include <pthread.h>
#include <stdio.h>

static const char text[] = "hello", other[] = "hexlo";

static unsigned long scan(const char *at) {
    unsigned long left = -1UL;
    __asm__ volatile("repne scasb" : "+D"(at), "+c"(left) : "a"(0) : "memory", "cc");
    return ~left - 1;
}

static unsigned long first_difference(const char *one, const char *two) {
    unsigned long left = -1UL;
    __asm__ volatile("repe cmpsb" : "+S"(one), "+D"(two), "+c"(left) : : "memory", "cc");
    return ~left - 1;
}

static unsigned long scan_back(const char *at) {
    unsigned long left = -1UL;
    __asm__ volatile("std; repne scasb; cld" : "+D"(at), "+c"(left) : "a"('e') : "memory", "cc");
    return ~left - 1;
}

static void *works(void *unused) {
    (void)scan(text);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, works, NULL);
    unsigned long found[] = {scan(text), first_difference(text, other), scan_back(text + 4)};
    pthread_join(thread, NULL);
    printf("%lu %lu %lu\n", found[0], found[1], found[2]);
    return 0;
}
