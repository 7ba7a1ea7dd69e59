/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0\n" 0:"1\n" 0:"2\n" 0:"3\n"
 *
 * A thread looks three times, and counts in an x87 register, which changes nothing in memory and in no other register:
 * it does not wait in a loop.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int looks;

/* The upper one of the two x87 registers in use is the count, the other one how far it goes. */
static void begin(void) {
    static const int most = 3;
    __asm__ volatile("fildl %0; fldz" : : "m"(most));
}

static int count(void) {
    unsigned char is_enough;
    __asm__ volatile("fld1; faddp %%st, %%st(1); fcomi %%st(1), %%st; setae %0" : "=q"(is_enough) : : "cc");
    return is_enough;
}

static int end(void) {
    int result;
    __asm__ volatile("fistpl %0; fstp %%st(0)" : "=m"(result));
    return result;
}

static void *look(void *unused) {
    begin();
    while (!atomic_load(&flag))
        if (count())
            break;
    looks = end();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    printf("%d\n", looks);
    return 0;
}
