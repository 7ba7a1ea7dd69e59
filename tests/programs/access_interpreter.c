/* rscale-test
 * verdict: clean
 * scope: all
 * arguments: "create:0,0,0,0,1,0 update:0,4,0,0,2,0 join:0,0,0,0,1,0 / update:0,4,0,0,1,0" global
 * outcomes: 0:"0,0 0,0 = 1 0 0 0\n" 0:"0,0 0,0 = 2 0 0 0\n" 0:"0,0 0,0 = 3 0 0 0\n"
 */

/* Runs a program of the access oracle's little language; see tests/src/access_oracle/program.rs.
 *
 * Every access is a machine access of its own. An operation has forms, which differ in the instructions and mean the
 * same. argv[1] is the program, argv[2] says where its memory lies: global, heap, stack or tls. With a third one,
 * "crowded", threads also work on memory of their own between their steps: more than rscale remembers exactly.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, STEPS = 32, BYTES = 32, MUTEXES = 2, CROWD = 600 };

enum kind {
    READ, READAT, WRITE, WRITEAT, UPDATE, ADD, XCHG, CAS, CASADD, AWAIT, MOVE, COPY, FILL, TEXT, COMPARE,
    LOCK, TRYLOCK, UNLOCK, SKIP, FENCE, CREATE, JOIN, KINDS
};

static const char *const names[KINDS] = {
    "read", "readat", "write", "writeat", "update", "add", "xchg", "cas", "casadd", "await", "move", "copy", "fill",
    "text", "compare", "lock", "trylock", "unlock", "skip", "fence", "create", "join"
};

struct step {
    enum kind kind;
    unsigned form, width, offset, reg, value, other;
};

/* The program: written before the first thread is created. */
static struct step steps[THREADS][STEPS];
static int lengths[THREADS];
static int threads;
static char *memory;

/* What it works on. */
static char global_memory[BYTES] __attribute__((aligned(64)));
static _Thread_local char tls_memory[BYTES] __attribute__((aligned(64)));
static pthread_mutex_t mutexes[MUTEXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t handles[THREADS];

/* The registers at the end of each thread, which is joined before they are read. */
static uint64_t results[THREADS][2];

#define ACCESS static __attribute__((noipa))

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "access_interpreter: %s\n", what);
        exit(2);
    }
}

/* Forms that exist for every width. */
#define FORMS(type, bits, suffix, lods, stos, movs)                                                                   \
    ACCESS type read_plain_##bits(type *p) { return *p; }                                                            \
    ACCESS type read_volatile_##bits(volatile type *p) { return *p; }                                                \
    ACCESS type read_seq_cst_##bits(type *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }                        \
    ACCESS type read_relaxed_##bits(type *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }                        \
    ACCESS type read_mov_##bits(type *p)                                                                             \
    {                                                                                                                \
        type v;                                                                                                      \
        __asm__ volatile("mov" suffix " %1, %0" : "=r"(v) : "m"(*p));                                                \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS type read_add_##bits(type *p)                                                                             \
    {                                                                                                                \
        type v = 0;                                                                                                  \
        __asm__ volatile("add" suffix " %1, %0" : "+r"(v) : "m"(*p) : "cc");                                         \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS type read_or_##bits(type *p)                                                                              \
    {                                                                                                                \
        type v = 0;                                                                                                  \
        __asm__ volatile("or" suffix " %1, %0" : "+r"(v) : "m"(*p) : "cc");                                          \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS type read_lods_##bits(type *p)                                                                            \
    {                                                                                                                \
        type v;                                                                                                      \
        __asm__ volatile(lods : "=a"(v), "+S"(p) : : "memory");                                                      \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS type read_memcpy_##bits(type *p)                                                                          \
    {                                                                                                                \
        type v;                                                                                                      \
        __builtin_memcpy(&v, p, sizeof v);                                                                           \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS void write_plain_##bits(type *p, type v) { *p = v; }                                                      \
    ACCESS void write_volatile_##bits(volatile type *p, type v) { *p = v; }                                          \
    ACCESS void write_seq_cst_##bits(type *p, type v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }                  \
    ACCESS void write_release_##bits(type *p, type v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }                  \
    ACCESS void write_mov_##bits(type *p, type v) { __asm__ volatile("mov" suffix " %1, %0" : "=m"(*p) : "r"(v)); }  \
    ACCESS void write_stos_##bits(type *p, type v) { __asm__ volatile(stos : "+D"(p) : "a"(v) : "memory"); }         \
    ACCESS void write_memcpy_##bits(type *p, type v) { __builtin_memcpy(p, &v, sizeof v); }                          \
    ACCESS void write_one_##bits(type *p) { *p = 1; }                                                                \
    ACCESS void update_plain_##bits(type *p, type v) { *p += v; }                                                    \
    ACCESS void update_volatile_##bits(volatile type *p, type v) { *p += v; }                                        \
    ACCESS void update_relaxed_##bits(type *p, type v)                                                               \
    {                                                                                                                \
        __atomic_store_n(p, (type)(__atomic_load_n(p, __ATOMIC_RELAXED) + v), __ATOMIC_RELAXED);                     \
    }                                                                                                                \
    ACCESS void update_add_##bits(type *p, type v)                                                                   \
    {                                                                                                                \
        __asm__ volatile("add" suffix " %1, %0" : "+m"(*p) : "r"(v) : "cc");                                         \
    }                                                                                                                \
    ACCESS void update_xadd_##bits(type *p, type v)                                                                  \
    {                                                                                                                \
        __asm__ volatile("xadd" suffix " %1, %0" : "+m"(*p), "+r"(v) : : "cc");                                      \
    }                                                                                                                \
    ACCESS void update_inc_##bits(type *p) { __asm__ volatile("inc" suffix " %0" : "+m"(*p) : : "cc"); }             \
    ACCESS void update_one_##bits(type *p) { ++*p; }                                                                 \
    ACCESS type add_atomic_##bits(type *p, type v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }            \
    ACCESS type add_sync_##bits(type *p, type v) { return __sync_fetch_and_add(p, v); }                              \
    ACCESS type add_fetch_##bits(type *p, type v) { return __atomic_add_fetch(p, v, __ATOMIC_RELAXED) - v; }         \
    ACCESS type add_xadd_##bits(type *p, type v)                                                                     \
    {                                                                                                                \
        __asm__ volatile("lock xadd" suffix " %1, %0" : "+m"(*p), "+r"(v) : : "cc");                                 \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS void add_quiet_##bits(type *p, type v) { __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }                    \
    ACCESS void add_inc_##bits(type *p) { __asm__ volatile("lock inc" suffix " %0" : "+m"(*p) : : "cc"); }           \
    ACCESS type xchg_atomic_##bits(type *p, type v) { return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL); }          \
    ACCESS type xchg_sync_##bits(type *p, type v) { return __sync_lock_test_and_set(p, v); }                         \
    ACCESS type xchg_asm_##bits(type *p, type v)                                                                     \
    {                                                                                                                \
        __asm__ volatile("xchg" suffix " %1, %0" : "+m"(*p), "+r"(v));                                               \
        return v;                                                                                                    \
    }                                                                                                                \
    ACCESS type cas_atomic_##bits(type *p, type expected, type desired)                                              \
    {                                                                                                                \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);               \
        return expected;                                                                                             \
    }                                                                                                                \
    ACCESS type cas_sync_##bits(type *p, type expected, type desired)                                                \
    {                                                                                                                \
        return __sync_val_compare_and_swap(p, expected, desired);                                                    \
    }                                                                                                                \
    ACCESS type cas_asm_##bits(type *p, type expected, type desired)                                                 \
    {                                                                                                                \
        __asm__ volatile("lock cmpxchg" suffix " %2, %0" : "+m"(*p), "+a"(expected) : "r"(desired) : "cc");          \
        return expected;                                                                                             \
    }                                                                                                                \
    ACCESS type casadd_##bits(type *p, type v)                                                                       \
    {                                                                                                                \
        type old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                             \
        while (!__atomic_compare_exchange_n(p, &old, (type)(old + v), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))     \
            ;                                                                                                        \
        return old;                                                                                                  \
    }                                                                                                                \
    ACCESS void move_plain_##bits(type *to, type *from) { *(volatile type *)to = *(volatile type *)from; }           \
    ACCESS void move_movs_##bits(type *to, type *from)                                                               \
    {                                                                                                                \
        __asm__ volatile(movs : "+D"(to), "+S"(from) : : "memory");                                                  \
    }                                                                                                                \
    ACCESS uint64_t read_##bits(unsigned form, void *p)                                                              \
    {                                                                                                                \
        switch (form % 9) {                                                                                          \
        case 0: return read_plain_##bits(p);                                                                         \
        case 1: return read_volatile_##bits(p);                                                                      \
        case 2: return read_seq_cst_##bits(p);                                                                       \
        case 3: return read_relaxed_##bits(p);                                                                       \
        case 4: return read_mov_##bits(p);                                                                           \
        case 5: return read_add_##bits(p);                                                                           \
        case 6: return read_or_##bits(p);                                                                            \
        case 7: return read_lods_##bits(p);                                                                          \
        default: return read_memcpy_##bits(p);                                                                       \
        }                                                                                                            \
    }                                                                                                                \
    ACCESS void write_##bits(unsigned form, void *p, uint64_t v)                                                     \
    {                                                                                                                \
        switch (form % 8) {                                                                                          \
        case 0: write_plain_##bits(p, v); return;                                                                    \
        case 1: write_volatile_##bits(p, v); return;                                                                 \
        case 2: write_seq_cst_##bits(p, v); return;                                                                  \
        case 3: write_release_##bits(p, v); return;                                                                  \
        case 4: write_mov_##bits(p, v); return;                                                                      \
        case 5: write_stos_##bits(p, v); return;                                                                     \
        case 6: write_memcpy_##bits(p, v); return;                                                                   \
        default:                                                                                                     \
            if ((type)v == 1)                                                                                        \
                write_one_##bits(p);                                                                                 \
            else                                                                                                     \
                write_plain_##bits(p, v);                                                                            \
        }                                                                                                            \
    }                                                                                                                \
    ACCESS void update_##bits(unsigned form, void *p, uint64_t v)                                                    \
    {                                                                                                                \
        if (v == 1 && form % 7 >= 5) {                                                                               \
            form % 7 == 5 ? update_inc_##bits(p) : update_one_##bits(p);                                             \
            return;                                                                                                  \
        }                                                                                                            \
        switch (form % 5) {                                                                                          \
        case 0: update_plain_##bits(p, v); return;                                                                   \
        case 1: update_volatile_##bits(p, v); return;                                                                \
        case 2: update_relaxed_##bits(p, v); return;                                                                 \
        case 3: update_add_##bits(p, v); return;                                                                     \
        default: update_xadd_##bits(p, v);                                                                           \
        }                                                                                                            \
    }                                                                                                                \
    ACCESS uint64_t add_##bits(unsigned form, void *p, uint64_t v)                                                   \
    {                                                                                                                \
        switch (form % 4) {                                                                                          \
        case 0: return add_atomic_##bits(p, v);                                                                      \
        case 1: return add_sync_##bits(p, v);                                                                        \
        case 2: return add_fetch_##bits(p, v);                                                                       \
        default: return add_xadd_##bits(p, v);                                                                       \
        }                                                                                                            \
    }                                                                                                                \
    ACCESS void add_without_result_##bits(unsigned form, void *p, uint64_t v)                                        \
    {                                                                                                                \
        form % 2 == 1 && v == 1 ? add_inc_##bits(p) : add_quiet_##bits(p, v);                                        \
    }                                                                                                                \
    ACCESS uint64_t xchg_##bits(unsigned form, void *p, uint64_t v)                                                  \
    {                                                                                                                \
        return form % 3 == 0 ? xchg_atomic_##bits(p, v) : form % 3 == 1 ? xchg_sync_##bits(p, v) : xchg_asm_##bits(p, v); \
    }                                                                                                                \
    ACCESS uint64_t cas_##bits(unsigned form, void *p, uint64_t expected, uint64_t desired)                          \
    {                                                                                                                \
        return form % 3 == 0   ? cas_atomic_##bits(p, expected, desired)                                             \
               : form % 3 == 1 ? cas_sync_##bits(p, expected, desired)                                               \
                               : cas_asm_##bits(p, expected, desired);                                               \
    }                                                                                                                \
    ACCESS void move_##bits(unsigned form, void *to, void *from)                                                     \
    {                                                                                                                \
        form % 2 == 0 ? move_plain_##bits(to, from) : move_movs_##bits(to, from);                                    \
    }

FORMS(uint8_t, 8, "b", "lodsb", "stosb", "movsb")
FORMS(uint16_t, 16, "w", "lodsw", "stosw", "movsw")
FORMS(uint32_t, 32, "l", "lodsl", "stosl", "movsl")
FORMS(uint64_t, 64, "q", "lodsq", "stosq", "movsq")

/* Forms for words of four and eight bytes. */
ACCESS uint64_t read_vector_32(void *p)
{
    uint32_t v;
    __asm__ volatile("movd %1, %%xmm3; movd %%xmm3, %0" : "=r"(v) : "m"(*(uint32_t *)p) : "xmm3");
    return v;
}

ACCESS uint64_t read_vector_64(void *p)
{
    uint64_t v;
    __asm__ volatile("movq %1, %%xmm3; movq %%xmm3, %0" : "=r"(v) : "m"(*(uint64_t *)p) : "xmm3");
    return v;
}

ACCESS uint64_t read_cmov_32(void *p)
{
    uint32_t v;
    __asm__ volatile("xor %0, %0; cmovzl %1, %0" : "=&r"(v) : "m"(*(uint32_t *)p) : "cc");
    return v;
}

ACCESS uint64_t read_cmov_64(void *p)
{
    uint64_t v;
    __asm__ volatile("xor %0, %0; cmovzq %1, %0" : "=&r"(v) : "m"(*(uint64_t *)p) : "cc");
    return v;
}

ACCESS uint64_t read_push_64(void *p)
{
    uint64_t v;
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushq (%1); popq %0; lea 128(%%rsp), %%rsp" : "=&r"(v) : "r"(p) : "memory");
    return v;
}

ACCESS uint64_t read_x87_64(void *p)
{
    uint64_t v;
    __asm__ volatile("fildll %1; fistpll %0" : "=m"(v) : "m"(*(uint64_t *)p));
    return v;
}

ACCESS void write_movnti_32(void *p, uint32_t v) { __asm__ volatile("movntil %1, %0" : "=m"(*(uint32_t *)p) : "r"(v)); }
ACCESS void write_movnti_64(void *p, uint64_t v) { __asm__ volatile("movntiq %1, %0" : "=m"(*(uint64_t *)p) : "r"(v)); }

ACCESS void write_vector_32(void *p, uint32_t v)
{
    __asm__ volatile("movd %1, %%xmm5; movd %%xmm5, %0" : "=m"(*(uint32_t *)p) : "r"(v) : "xmm5");
}

ACCESS void write_vector_64(void *p, uint64_t v)
{
    __asm__ volatile("movq %1, %%xmm5; movq %%xmm5, %0" : "=m"(*(uint64_t *)p) : "r"(v) : "xmm5");
}

ACCESS void write_pop_64(void *p, uint64_t v)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushq %1; popq (%0); lea 128(%%rsp), %%rsp" : : "r"(p), "r"(v) : "memory");
}

/* Sixteen bytes with one instruction. */
ACCESS void read_128(unsigned form, void *p, uint64_t out[2])
{
    uint64_t low, high;
    if (form % 2 == 0 && (uintptr_t)p % 16 == 0)
        __asm__ volatile("movdqa (%2), %%xmm9; movq %%xmm9, %0; pextrq $1, %%xmm9, %1"
                         : "=r"(low), "=r"(high) : "r"(p) : "xmm9", "memory");
    else
        __asm__ volatile("movups (%2), %%xmm2; movq %%xmm2, %0; pextrq $1, %%xmm2, %1"
                         : "=&r"(low), "=&r"(high) : "r"(p) : "xmm2", "memory");
    out[0] = low;
    out[1] = high;
}

ACCESS void write_128(unsigned form, void *p, uint64_t low, uint64_t high)
{
    if (form % 2 == 0 && (uintptr_t)p % 16 == 0)
        __asm__ volatile("movq %0, %%xmm11; pinsrq $1, %1, %%xmm11; movdqa %%xmm11, (%2)"
                         : : "r"(low), "r"(high), "r"(p) : "xmm11", "memory");
    else
        __asm__ volatile("movq %0, %%xmm1; pinsrq $1, %1, %%xmm1; movdqu %%xmm1, (%2)"
                         : : "r"(low), "r"(high), "r"(p) : "xmm1", "memory");
}

ACCESS void cas_128(void *p, uint64_t expected, uint64_t desired, uint64_t out[2])
{
    uint64_t low = expected, high = expected;
    __asm__ volatile("lock cmpxchg16b (%2)" : "+a"(low), "+d"(high) : "r"(p), "b"(desired), "c"(desired) : "cc", "memory");
    out[0] = low;
    out[1] = high;
}

/* Copies: by the library, or by one instruction that takes its time. */
ACCESS void copy_rep_movsb(void *to, const void *from, size_t length)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

ACCESS void copy_rep_movsq(void *to, const void *from, size_t length)
{
    length /= 8;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

ACCESS void copy(unsigned form, char *to, char *from, size_t length)
{
    if (form % 4 == 0)
        memcpy(to, from, length);
    else if (form % 4 == 1)
        memmove(to, from, length);
    else if (form % 4 == 2 || length % 8 != 0)
        copy_rep_movsb(to, from, length);
    else
        copy_rep_movsq(to, from, length);
}

ACCESS void fill(unsigned form, char *to, int value, size_t length)
{
    if (form % 2 == 0)
        memset(to, value, length);
    else
        __builtin___memset_chk(to, value, length, length);
}

ACCESS void copy_text(unsigned form, char *to, const char *from)
{
    if (form % 3 == 0)
        strcpy(to, from);
    else if (form % 3 == 1)
        stpcpy(to, from);
    else
        memccpy(to, from, 0, 8);
}

/* All accesses, stores, or loads. */
static void on_fence(const struct step *step)
{
    if (step->value == 1)
        __asm__ volatile("sfence" ::: "memory");
    else if (step->value == 2)
        __asm__ volatile("lfence" ::: "memory");
    else if (step->form % 3 == 0)
        __asm__ volatile("mfence" ::: "memory");
    else if (step->form % 3 == 1)
        __asm__ volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
    else
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void on_read(const struct step *step, char *p, uint64_t reg[2])
{
    unsigned form = step->form;
    uint64_t *to = &reg[step->reg];
    if (step->width == 1)
        *to = read_8(form, p);
    else if (step->width == 2)
        *to = read_16(form, p);
    else if (step->width == 4)
        *to = form == 9 ? read_vector_32(p) : form == 10 ? read_cmov_32(p) : read_32(form, p);
    else if (step->width == 16)
        read_128(form, p, reg);
    else
        *to = form == 9    ? read_vector_64(p)
              : form == 10 ? read_cmov_64(p)
              : form == 11 ? read_push_64(p)
              : form == 12 ? read_x87_64(p)
                           : read_64(form, p);
}

static void on_write(const struct step *step, char *p, const uint64_t reg[2])
{
    unsigned form = step->form;
    uint64_t value = step->value + (step->other ? reg[step->reg] : 0);
    if (step->width == 1)
        write_8(form, p, value);
    else if (step->width == 2)
        write_16(form, p, value);
    else if (step->width == 4 && form >= 8)
        form % 2 == 0 ? write_movnti_32(p, value) : write_vector_32(p, value);
    else if (step->width == 4)
        write_32(form, p, value);
    else if (step->width == 16)
        write_128(form, p, step->value + (step->other ? reg[0] : 0), step->value + (step->other ? reg[1] : 0));
    else if (form >= 8)
        form == 8 ? write_pop_64(p, value) : form % 2 == 0 ? write_movnti_64(p, value) : write_vector_64(p, value);
    else
        write_64(form, p, value);
}

/* One operation for each width of a whole word. */
#define BY_WIDTH(name, ...)                                                                                           \
    (step->width == 1   ? name##_8(__VA_ARGS__)                                                                      \
     : step->width == 2 ? name##_16(__VA_ARGS__)                                                                     \
     : step->width == 4 ? name##_32(__VA_ARGS__)                                                                     \
                        : name##_64(__VA_ARGS__))

static uint64_t on_await(const struct step *step, char *p)
{
    uint64_t seen;
    while ((seen = BY_WIDTH(read, 1 + step->form % 3, p)) == 0) {
        if (step->form % 5 == 3)
            sched_yield();
        else if (step->form % 5 == 4)
            __builtin_ia32_pause();
    }
    return seen;
}

static void on_mutex(const struct step *step, uint64_t reg[2], bool owns[MUTEXES])
{
    unsigned which = step->value;
    if (step->kind == LOCK) {
        require(pthread_mutex_lock(&mutexes[which]) == 0, "lock");
        owns[which] = true;
    } else if (step->kind == TRYLOCK) {
        bool is_free = pthread_mutex_trylock(&mutexes[which]) == 0;
        owns[which] |= is_free;
        reg[step->reg] = is_free;
    } else if (owns[which]) {
        owns[which] = false;
        require(pthread_mutex_unlock(&mutexes[which]) == 0, "unlock");
    }
}

static bool is_crowded;

/* Now the one half of each pair, now the other: what a thread does between two of its steps. */
static void crowd(int thread, int step)
{
    static volatile uint32_t own[THREADS][CROWD][2] __attribute__((aligned(64)));
    for (int i = 0; i < CROWD; i++)
        own[thread][i][step & 1] = step;
}

static void *run(void *argument)
{
    int thread = (int)((uint64_t(*)[2])argument - results);
    uint64_t reg[2] = {0, 0};
    bool owns[MUTEXES] = {false, false};
    for (int i = 0; i < lengths[thread]; i++) {
        if (is_crowded)
            crowd(thread, i);
        const struct step *step = &steps[thread][i];
        unsigned form = step->form;
        char *p = memory + step->offset;
        char *indexed = p + (reg[1 - (step->reg & 1)] & 1) * 8;
        uint64_t *to = &reg[step->reg & 1];
        switch (step->kind) {
        case READ: on_read(step, p, reg); break;
        case READAT: on_read(step, indexed, reg); break;
        case WRITE: on_write(step, p, reg); break;
        case WRITEAT: on_write(step, indexed, reg); break;
        case UPDATE: BY_WIDTH(update, form, p, step->value); break;
        case ADD:
            if (step->other)
                BY_WIDTH(add_without_result, form, p, step->value);
            else
                *to = BY_WIDTH(add, form, p, step->value);
            break;
        case XCHG: *to = BY_WIDTH(xchg, form, p, step->value); break;
        case CAS:
            if (step->width == 16)
                cas_128(p, step->value, step->other, reg);
            else
                *to = BY_WIDTH(cas, form, p, step->value, step->other);
            break;
        case CASADD: *to = BY_WIDTH(casadd, (void *)p, step->value); break;
        case AWAIT: *to = on_await(step, p); break;
        case MOVE: BY_WIDTH(move, form, memory + step->value, p); break;
        case COPY: copy(form, memory + step->value, p, step->other); break;
        case FILL: fill(form, p, step->value, step->other); break;
        case TEXT: copy_text(form, memory + step->value, p); break;
        case COMPARE: *to = memcmp(p, memory + step->value, step->other) != 0; break;
        case SKIP: i += reg[step->reg] == 0 ? step->value : 0; break;
        case FENCE: on_fence(step); break;
        case CREATE: require(pthread_create(&handles[step->value], NULL, run, &results[step->value]) == 0, "create"); break;
        case JOIN: require(pthread_join(handles[step->value], NULL) == 0, "join"); break;
        default: on_mutex(step, reg, owns);
        }
    }
    results[thread][0] = reg[0];
    results[thread][1] = reg[1];
    return NULL;
}

static void parse_word(char *word)
{
    struct step step;
    char *colon = strchr(word, ':');
    require(colon != NULL, "a word is not of the form name:numbers");
    *colon = '\0';
    int fields = sscanf(colon + 1, "%u,%u,%u,%u,%u,%u", &step.form, &step.width, &step.offset, &step.reg, &step.value,
                        &step.other);
    require(fields == 6, "an operation does not have six numbers");
    for (step.kind = 0; step.kind < KINDS && strcmp(names[step.kind], word) != 0;)
        step.kind++;
    require(step.kind < KINDS, "no such operation");
    require(lengths[threads] < STEPS && step.reg < 2, "too many steps, or no such register");
    steps[threads][lengths[threads]++] = step;
}

static void parse(char *program)
{
    for (char *word = strtok(program, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "/") == 0)
            require(++threads < THREADS, "too many threads");
        else
            parse_word(word);
    }
}

int main(int argc, char **argv)
{
    char stack_memory[BYTES] __attribute__((aligned(64)));
    require(argc == 3 || argc == 4, "usage: access_interpreter PROGRAM global|heap|stack|tls [crowded]");
    is_crowded = argc == 4;
    memset(stack_memory, 0, sizeof stack_memory);
    memory = argv[2][0] == 'g'   ? global_memory
             : argv[2][0] == 's' ? stack_memory
             : argv[2][0] == 't' ? tls_memory
                                 : calloc(1, BYTES);
    parse(argv[1]);
    run(&results[0]);
    for (int thread = 0; thread <= threads; thread++)
        printf("%lx,%lx ", results[thread][0], results[thread][1]);
    printf("=");
    for (int word = 0; word < BYTES; word += 8)
        printf(" %lx", *(uint64_t *)(memory + word));
    puts("");
    return 0;
}
