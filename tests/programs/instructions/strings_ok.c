/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O2
 * isolation: snapshot
 * outcomes: 0:"6 alike\n"
 *
 * String instructions on memory that others write leave registers, flags and memory as they do on any other memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 32 };

struct registers {
    uint64_t source, target, count, accumulator, flags;
};

typedef struct registers run(char (*memory)[BYTES], uint64_t count, uint64_t accumulator);

/* Another thread writes what is there anyway into the middle of the first one, and reads the second. */
static char shared[2][BYTES] __attribute__((aligned(64))), own[2][BYTES] __attribute__((aligned(64)));
static const char initial[2][BYTES] = {"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnOpqrstuvwxyz"};

#define RUN(name, instruction, start)                                                                                \
    static struct registers name(char (*memory)[BYTES], uint64_t count, uint64_t accumulator)                        \
    {                                                                                                                \
        char *source = memory[0] + start, *target = memory[1] + start;                                               \
        uint64_t flags;                                                                                              \
        __asm__ volatile("lea -128(%%rsp), %%rsp; cmp $7, %%rcx; " instruction                                       \
                         "; cld; pushfq; popq %4; lea 128(%%rsp), %%rsp"                                             \
                         : "+S"(source), "+D"(target), "+c"(count), "+a"(accumulator), "=&r"(flags)                  \
                         :                                                                                           \
                         : "memory", "cc");                                                                          \
        return (struct registers){source - memory[0], target - memory[1], count, accumulator, flags & 0x8d5};        \
    }
#define FORWARD(name, instruction) RUN(name, instruction, 8)
#define BACKWARD(name, instruction) RUN(name, "std; " instruction, 16)

BACKWARD(movsw, "rep movsw")
FORWARD(stosl, "rep stosl")
BACKWARD(lodsb, "rep lodsb")
FORWARD(scasb, "repne scasb")
FORWARD(cmpsb, "repe cmpsb")
BACKWARD(cmpsl, "repne cmpsl")

static run *const runs[] = {movsw, stosl, lodsb, scasb, cmpsb, cmpsl};
enum { RUNS = sizeof runs / sizeof *runs };

static void *interferes(void *unused)
{
    ((volatile char *)shared[0])[12] = initial[0][12];
    (void)((volatile char *)shared[1])[12];
    return unused;
}

/* Whether a run does the same to both memories. */
static int is_alike(run *run)
{
    for (int i = 0; i < BYTES; i++) {
        own[0][i] = initial[0][i];
        shared[1][i] = own[1][i] = initial[1][i];
    }
    struct registers one = run(shared, 5, 'l' + ('m' << 8)), two = run(own, 5, 'l' + ('m' << 8));
    return memcmp(&one, &two, sizeof one) == 0 && memcmp(shared, own, sizeof own) == 0;
}

int main(void)
{
    pthread_t other;
    int alike = 0;
    memcpy(shared, initial, sizeof initial);
    pthread_create(&other, NULL, interferes, NULL);
    for (int i = 0; i < RUNS; i++)
        alike += is_alike(runs[i]);
    pthread_join(other, NULL);
    printf("%d alike\n", alike);
    return 0;
}
