/* rscale-test
 * verdict: clean
 * threads-engine: no
 * scope: all
 * outcomes: 0:"1\n" 0:"2\n"
 *
 * A handler makes memory writable where somebody writes to it for the first time. The instruction begins anew then, with
 * its scheduling points, and the handler finds it in the code of the program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

extern const char __executable_start, etext;

static volatile int *shared;

static void handle(int number, siginfo_t *info, void *context) {
    greg_t at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (number != SIGSEGV || info->si_addr != shared || at < (greg_t)&__executable_start || at >= (greg_t)&etext)
        _exit(1);
    mprotect((void *)shared, 4096, PROT_READ | PROT_WRITE);
}

static void *adds(void *unused) {
    ++*shared;
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    pthread_t other;
    sigaction(SIGSEGV, &action, NULL);
    shared = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&other, NULL, adds, NULL);
    ++*shared;
    pthread_join(other, NULL);
    printf("%d\n", *shared);
    return 0;
}
