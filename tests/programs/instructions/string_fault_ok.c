/* rscale-test
 * verdict: clean
 * scope: all
 * options: --exit-status
 *
 * A copy of one instruction runs off the end of memory, after bytes that another thread changes too. The handler of the
 * program finds the registers of the instruction: four bytes are copied, and the fifth has no place.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, LENGTH = 64, FITS = 4 };
static char *memory;
static char shared[LENGTH];

static void handle(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int is_right = registers[REG_RDI] == (greg_t)(memory + PAGE) && registers[REG_RSI] == (greg_t)(shared + FITS) &&
                   registers[REG_RCX] == LENGTH - FITS && info->si_addr == memory + PAGE;
    _exit(number == SIGSEGV && is_right ? 0 : 1);
}

static void *changes(void *unused)
{
    memory[PAGE - 2]++;
    shared[1]++;
    return unused;
}

int main(void)
{
    memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    pthread_t other;
    pthread_create(&other, NULL, changes, NULL);
    void *to = memory + PAGE - FITS, *from = shared;
    long count = LENGTH;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
    return 2;
}
