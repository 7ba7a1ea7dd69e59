/* Maps a region into the program that it is preloaded into, as the shim will: fills the slots with stubs that count,
 * patches the original code, and maps breakpoints in it to clones.
 *
 * REGION names the region's file, COUNTS a file of at least one page that receives the counts. With STEPPED=1 the
 * program runs unpatched, stopped once so that a tracer can attach. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { AREAS = 4, SLOTS = 51, GENERAL = 28, FENCE = 29, PAGE = 4096 };

struct span { uint32_t offset, length; };
struct area { uint64_t start, length; struct span table; };
struct header {
    uint64_t magic, base, bias, length;
    struct span code, sites, patches;
    struct area areas[AREAS];
    uint64_t is_partial;
    uint64_t slots[SLOTS];
};
struct patch { uint64_t address, length; };

/* Calls of hooks, the sum of their addresses, traps. */
__attribute__((aligned(4096), visibility("hidden"))) volatile uint64_t counts[PAGE / 8];
static struct header *region;

void fast_stub(void);
void fence_stub(void);
void general_stub(void);
__asm__(".text\n"
        "fast_stub:\n"
        "  lock addq %rcx, counts+8(%rip)\n"
        "fence_stub:\n"
        "  lock incq counts(%rip)\n"
        "  movq $-2, %rax\n"
        "  movq $0x5a5a5a5a, %rcx\n"
        "  addb $0xff, %al\n"
        "  ret\n"
        "general_stub:\n"
        "  pushfq\n"
        "  lock incq counts(%rip)\n"
        "  lock addq %rcx, counts+8(%rip)\n"
        "  popfq\n"
        "  ret\n");

static void fail(const char *what) {
    perror(what);
    _exit(99);
}

static void trap(int number, siginfo_t *info, void *context) {
    (void)info;
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uint64_t address = (uint64_t)*pc - 1;
    for (struct area *area = region->areas; area < region->areas + AREAS; area++) {
        if (address - area->start < area->length) {
            uint32_t *table = (uint32_t *)((char *)region + area->table.offset);
            uint32_t clone = table[address - area->start];
            if (clone) {
                *pc = (greg_t)(region->base + clone);
                counts[2]++;
                return;
            }
        }
    }
    static const char message[] = "breakpoint without clone\n";
    write(2, message, sizeof message - 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void apply(void) {
    for (struct area *area = region->areas; area < region->areas + AREAS; area++) {
        uint64_t start = area->start & -(uint64_t)PAGE;
        if (area->length && mprotect((void *)start, area->start + area->length - start, 7)) fail("mprotect");
    }
    char *at = (char *)region + region->patches.offset;
    char *end = at + region->patches.length;
    while (at < end) {
        struct patch *patch = (struct patch *)at;
        memcpy((void *)patch->address, patch + 1, patch->length);
        at += sizeof *patch + (patch->length + 7) / 8 * 8;
    }
    for (struct area *area = region->areas; area < region->areas + AREAS; area++) {
        uint64_t start = area->start & -(uint64_t)PAGE;
        if (area->length) mprotect((void *)start, area->start + area->length - start, PROT_READ | PROT_EXEC);
    }
}

static void map_region(const char *path) {
    struct header header;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, &header, sizeof header) != sizeof header) fail(path);
    void *wanted = (void *)header.base;
    region = mmap(wanted, header.length, 7, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
    if (region != wanted) fail("region");
    close(file);
    for (int slot = 0; slot < SLOTS; slot++) region->slots[slot] = (uint64_t)fast_stub;
    region->slots[GENERAL] = (uint64_t)general_stub;
    region->slots[FENCE] = (uint64_t)fence_stub;
}

/* Removes a variable for the programs that this one starts. Shells have functions of their own named unsetenv. */
static void forget(const char *prefix) {
    for (char **from = environ, **to = environ;; from++) {
        if (!*from || strncmp(*from, prefix, strlen(prefix))) *to++ = *from;
        if (!*from) return;
    }
}

__attribute__((constructor)) static void load(void) {
    const char *path = getenv("REGION"), *output = getenv("COUNTS");
    if (!path || !output) return;
    const char *mode = getenv("STEPPED");
    int stepped = mode && *mode == '1';
    int file = open(output, O_RDWR | O_CLOEXEC);
    if (file < 0 || mmap((void *)counts, PAGE, 3, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) fail(output);
    close(file);
    map_region(path);
    forget("LD_PRELOAD=");
    forget("REGION=");
    forget("COUNTS=");
    forget("STEPPED=");
    if (stepped) {
        raise(SIGSTOP);
        return;
    }
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    if (sigaction(SIGTRAP, &action, NULL)) fail("sigaction");
    apply();
}
