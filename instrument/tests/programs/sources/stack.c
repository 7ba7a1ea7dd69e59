/* Stops deep in a stack of the kind that its argument names, after printing its registers (in DWARF order)
 * and the return addresses that glibc finds. */
#define _GNU_SOURCE
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int dwarf_order[17] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

volatile int sink;

__attribute__((noinline)) static void leaf(void)
{
    ucontext_t context;
    void *frames[64];
    int count = backtrace(frames, 64);
    for (int i = 0; i < count; i++)
        printf("frame %p\n", frames[i]);
    getcontext(&context);
    for (int i = 0; i < 17; i++)
        printf("register %llx\n", (unsigned long long)context.uc_mcontext.gregs[dwarf_order[i]]);
    printf("ready\n");
    fflush(stdout);
    raise(SIGSTOP); /* not kill: that may stop another thread first */
    sink++;
}

__attribute__((noinline)) static void recurse(int depth)
{
    if (depth == 0)
        leaf();
    else
        recurse(depth - 1);
    sink++;
}

__attribute__((noinline)) static void with_alloca(size_t size)
{
    char *memory = alloca(size);
    memset(memory, 1, size);
    recurse(2);
    sink += memory[size - 1];
}

__attribute__((noinline)) static void with_realigned_stack(size_t size)
{
    char aligned[64] __attribute__((aligned(64)));
    char *memory = alloca(size);
    memset(aligned, 1, sizeof aligned);
    memset(memory, 1, size);
    with_alloca(size + aligned[3]);
    sink += memory[size - 1] + aligned[5];
}

static int compare(const void *a, const void *b)
{
    leaf();
    return *(const int *)a - *(const int *)b;
}

static void handler(int signal)
{
    (void)signal;
    recurse(1);
    sink++;
}

static void *thread(void *argument)
{
    recurse(3);
    return argument;
}

__attribute__((noinline)) static void by_signal(int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sink++;
}

__attribute__((noinline)) static void call_nothing(void (*nothing)(void))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGSEGV, &action, NULL);
    nothing();
    sink++;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    alarm(20);
    if (strcmp(kind, "recursion") == 0) {
        recurse(10);
    } else if (strcmp(kind, "realigned") == 0) {
        with_realigned_stack(100 + argc);
    } else if (strcmp(kind, "callback") == 0) {
        int numbers[4] = {3, 1, 2, 0};
        qsort(numbers, 4, sizeof numbers[0], compare);
    } else if (strcmp(kind, "signal") == 0) {
        by_signal(0);
    } else if (strcmp(kind, "alternate") == 0) {
        stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
        sigaltstack(&stack, NULL);
        by_signal(SA_ONSTACK);
    } else if (strcmp(kind, "null") == 0) {
        call_nothing(NULL);
    } else if (strcmp(kind, "thread") == 0) {
        pthread_t id;
        pthread_create(&id, NULL, thread, NULL);
        pthread_join(id, NULL);
    }
    return sink == 1000;
}
