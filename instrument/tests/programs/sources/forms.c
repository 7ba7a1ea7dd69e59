/* Everything that makes rewriting code hard, in C. Prints the same whatever was done to its code; argument 1 is a number of rounds.
 * Single-threaded, so that its accesses can be counted by stepping. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static unsigned digest = 17;
static int table[64];
static __thread int mine;
static volatile sig_atomic_t signalled;

static void note(unsigned value) { digest = digest * 31 + value; }

/* Return addresses are those of the program, for itself and for the unwinder, which is slow to step through. */
extern char __executable_start, etext;
static int unwinds;
/* Libraries may be elsewhere in another run. */
static void note_frame(char *frame) {
    if (frame >= &__executable_start && frame < &etext) note((uintptr_t)frame);
}
NOINLINE static void frames(void) {
    void *list[32];
    note_frame(__builtin_return_address(0));
    int count = unwinds ? backtrace(list, 32) : 0;
    for (int i = 0; i < count; i++) note_frame(list[i]);
}

/* Calls through pointers and tables of them. */
NOINLINE static int add(int a, int b) { return a + b; }
NOINLINE static int sub(int a, int b) { return a - b; }
NOINLINE static int mul(int a, int b) { return a * b; }
static int (*const constant_operations[])(int, int) = {add, sub, mul};
static int (*operations[])(int, int) = {add, sub, mul};
NOINLINE static int through_frames(int a, int b) { frames(); return operations[a % 3](a, b) + 1; }
struct object { int (*method)(struct object *, int); int state; };
NOINLINE static int method(struct object *object, int n) { return object->state += n; }
NOINLINE static void pointers(int n) {
    struct object object = {method, n};
    for (int i = 0; i < 6; i++) note(operations[i % 3](n, i) + constant_operations[i % 3](i, n));
    note(object.method(&object, 4) + object.method(&object, 5));
    note(operations[0] == add);
    int (*volatile indirect)(int, int) = through_frames;
    frames(), note(indirect(n, 2)), frames();
}

/* A jump table, and computed jumps. */
NOINLINE static int chosen(int n) {
    switch (n) {
    case 0: return table[1];
    case 1: table[2]++; return 7;
    case 2: return mul(table[2], 3);
    case 3: puts("three"); return 1;
    case 4: return 99;
    case 5: note(5); /* fall through */
    case 6: return table[6] + 2;
    case 9: return 12;
    default: return -1;
    }
}
NOINLINE static int interpreted(const char *program) {
    static const void *const labels[] = {&&inc, &&dec, &&twice, &&stop};
    int value = 1;
#define NEXT goto *labels[*program++ - '0']
    NEXT;
inc:
    value++;
    NEXT;
dec:
    value--;
    NEXT;
twice:
    value *= 2;
    NEXT;
stop:
    return value;
}

/* Recursion, tail calls, leaf functions, variable arguments, stacks of variable size. */
NOINLINE static int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
NOINLINE static int odd(int n);
NOINLINE static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
NOINLINE static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
NOINLINE static int forwarded(int which, int a, int b) { return operations[which](a, b); }
NOINLINE static int leaf(const int *values, int n) {
    volatile int local[8];
    for (int i = 0; i < 8; i++) local[i] = values[i] + n;
    return local[0] * local[3] + local[7] + (n > 3 ? values[n & 7] : 0);
}
/* Fetches ahead: flags, registers and what lies below the stack pointer stay what they are. */
NOINLINE static int fetched(const int *values, long n) {
    volatile int local[4] = {1, 2, 3, 4};
    unsigned char below, overflows;
    long index = n & 3, rcx = n + 1, rax = n + 2;
    __asm__ volatile("cmpl %8, %7\n\t"
                     "prefetcht0 (%5)\n\tprefetchnta 8(%5,%6,4)\n\tprefetcht1 -16(%%rsp)\n\tprefetcht2 table(%%rip)\n\t"
                     "prefetchw 4(%%rcx)\n\tsetb %0\n\tseto %1"
                     : "=&q"(below), "=&q"(overflows), "+c"(rcx), "+a"(rax), "+m"(local)
                     : "r"(values), "r"(index), "r"((int)n), "i"(3)
                     : "cc");
    return below + 2 * overflows + (int)(rax + rcx) + local[index] + values[index];
}
NOINLINE static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0;
    for (int i = 0; i < count; i++) total += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return (int)total;
}
NOINLINE static int varying(int n) {
    int array[n], *more = __builtin_alloca(n * sizeof *more), result = 0;
    for (int i = 0; i < n; i++) array[i] = i * n, more[i] = array[i] ^ 5;
    for (int i = 0; i < n; i++) result += more[i];
    return result;
}

/* Jumps out of frames. */
static jmp_buf escape;
NOINLINE static void dive(int depth) {
    if (depth == 0) longjmp(escape, 42);
    if (depth < 99) dive(depth - 1);
    note(1);
}
NOINLINE static int escaped(int depth) {
    int code = setjmp(escape);
    if (code) return code + depth;
    dive(depth);
    return 0;
}
static void handler(int number) { signalled += number; note(3); frames(); }
NOINLINE static void signals(void) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    note(signalled);
}

/* Operands of all kinds. */
struct bits { unsigned a : 3, b : 7, c : 13; int64_t d : 40; };
NOINLINE static void bit_fields(struct bits *bits, int n) {
    bits->a = n, bits->b += n, bits->c ^= bits->b, bits->d -= n;
    note(bits->a + bits->b + bits->c + (unsigned)bits->d);
}
NOINLINE static void atomics(long *p, int n) {
    __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);
    long old = __atomic_exchange_n(p, n * 3, __ATOMIC_ACQ_REL);
    __atomic_compare_exchange_n(p, &old, 8, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_or_fetch(p, 0x100, __ATOMIC_RELAXED);
    __atomic_store_n(p + 1, *p, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    note(__atomic_load_n(p, __ATOMIC_ACQUIRE) + __atomic_load_n(p + 1, __ATOMIC_RELAXED));
}
NOINLINE static void strings(char *to, const char *from, size_t length) {
    void *d = to;
    const void *s = from;
    size_t c = length;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(c)::"memory");
    d = to + length, c = length;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(c) : "a"('x') : "memory");
    d = to, s = to + 8;
    __asm__ volatile("movsq; movsb; lodsb; cmpsb" : "+D"(d), "+S"(s)::"rax", "memory", "cc");
    d = to, c = 2 * length;
    __asm__ volatile("repne scasb" : "+D"(d), "+c"(c) : "a"('x') : "cc");
    note(c);
    long bit = 77;
    __asm__ volatile("btsq %1, %0" : "+m"(*(long *)to) : "r"(bit) : "cc", "memory");
    unsigned char element = 5;
    __asm__ volatile("xlatb" : "+a"(element) : "b"(to));
    note(element);
    for (size_t i = 0; i < 2 * length; i++) note(to[i]);
}
NOINLINE static void stack_operands(long *p) {
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush (%0)\n\tpop 8(%0)\n\tpush 8(%0)\n\tpop -24(%%rsp)\n\tlea 128(%%rsp), %%rsp"
                     :: "r"(p) : "memory");
    long count = 3, sum = 0;
    __asm__ volatile("1: add (%2), %1\n\tloop 1b\n\tjrcxz 2f\n\tud2\n2:" : "+c"(count), "+r"(sum) : "r"(p) : "cc");
    note(sum + p[1]);
}
NOINLINE static int flags(int *p, int n) {
    int result;
    __asm__ volatile("cmpl %2, %1\n\tmovl (%3), %0\n\tcmovl 4(%3), %0\n\tseto %b0\n\tadcl 8(%3), %0"
                     : "=&r"(result) : "r"(n), "r"(3), "r"(p) : "cc", "memory");
    return result;
}
typedef float vector __attribute__((vector_size(16)));
NOINLINE static void vectors(float *a, const float *b, int n) {
    for (int i = 0; i < n; i++) a[i] = a[i] * b[i] + 1;
    vector *v = (vector *)a;
    v[0] = v[0] + v[1];
    long double wide = a[0];
    volatile long double *store = &wide;
    *store += 2;
    note((unsigned)a[3] + (unsigned)*store);
}
NOINLINE static int *thread_local_address(void) { return &mine; }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    unwinds = rounds > 1;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 64; i++) table[i] = (i * 37 + round) % 64;
        pointers(round + 3);
        for (int i = -1; i < 11; i++) note(chosen(i));
        note(interpreted("0021023"));
        note(fetched(table, round));
        note(ackermann(2, 2) + even(9) + odd(5) + forwarded(round % 3, 8, 3) + leaf(table, round) + leaf(table + 9, 5));
        note(sum(6, 1, 2.5, 3, 4.5, 5, 6.5) + varying(5 + round));
        note(escaped(4) + escaped(0));
        signals();
        struct bits bits = {0};
        bit_fields(&bits, round), bit_fields(&bits, 100);
        long words[4] = {1, 2, 3, 4};
        atomics(words, 5), atomics(words + 1, round);
        char text[80] = {0};
        strings(text, "the quick brown fox", 19);
        stack_operands(words);
        note(flags(table, 1) + flags(table + 4, 9));
        float one[12] __attribute__((aligned(16))), two[12];
        for (int i = 0; i < 12; i++) one[i] = i, two[i] = i * 2;
        vectors(one, two, 12);
        *thread_local_address() += round;
        mine += 2;
        note(mine);
        qsort(table, 64, sizeof *table, compare);
        note(table[0] + table[63]);
    }
    printf("%u\n", digest);
    return digest % 100;
}
