/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0 2\n" 0:"1 2\n" 0:"2 2\n" 0:"3 2\n"
 *
 * A thread keeps values in the x87 registers while it looks at a variable again and again. Those of other threads are
 * theirs alone, and a thread begins with none: it may push eight of them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, sum;
static int looks;

static void *look(void *unused) {
    int count = 0;
    long double six[6];
    __asm__ volatile("fld1; fld1; fld1; fld1; fld1; fld1" : : : "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)");
    while (!atomic_load(&flag) && count < 3)
        count++;
    __asm__ volatile("fstpt %0; fstpt %1; fstpt %2; fstpt %3; fstpt %4; fstpt %5"
                     : "=m"(six[0]), "=m"(six[1]), "=m"(six[2]), "=m"(six[3]), "=m"(six[4]), "=m"(six[5]));
    looks = six[0] + six[1] + six[2] + six[3] + six[4] + six[5] == 6 ? count : -1;
    return unused;
}

static void *set(void *unused) {
    long double four;
    __asm__ volatile("fld1; fld1; fld1; fld1; faddp; faddp; faddp; fstpt %0" : "=m"(four));
    atomic_store(&sum, four == 4 ? 2 : -1);
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, look, NULL);
    pthread_create(&second, NULL, set, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d %d\n", looks, atomic_load(&sum));
    return 0;
}
