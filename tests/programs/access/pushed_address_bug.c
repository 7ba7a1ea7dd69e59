/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A function gives away the address of a local as an argument on the stack: with `push rbp`, which elsewhere saves a
 * register of the caller, and nothing else.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int *volatile given;
static pthread_t other;

static void *adds(void *unused)
{
    ++*given;
    return unused;
}

void takes(long a, long b, long c, long d, long e, long f, volatile int *address)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    given = address;
    pthread_create(&other, NULL, adds, NULL);
}

void joins(void)
{
    pthread_join(other, NULL);
}

int gives(void);
__asm__(".text\n"
        ".globl gives\n"
        ".type gives, @function\n"
        "gives: push %rbp\n"
        "sub $32, %rsp\n"
        "movl $0, 16(%rsp)\n"
        "lea 16(%rsp), %rbp\n"
        "sub $8, %rsp\n"
        "push %rbp\n"
        "call takes\n"
        "add $16, %rsp\n"
        "mov 16(%rsp), %eax\n"
        "add $1, %eax\n"
        "mov %eax, 16(%rsp)\n"
        "call joins\n"
        "mov 16(%rsp), %eax\n"
        "add $32, %rsp\n"
        "pop %rbp\n"
        "ret\n"
        ".size gives, .-gives\n");

int main(void)
{
    assert(gives() == 2);
    return 0;
}
