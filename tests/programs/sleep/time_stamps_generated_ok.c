/* rscale-test
 * verdict: clean
 *
 * Code that is made while the program runs reads the time-stamp counter, which none of the program's own code does: that
 * shows virtual time, too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned (*counter)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* rdtsc; ret, each byte one less: it is no code yet. */
static const unsigned char disguised[] = {0x0e, 0x30, 0xc2};

static void *steps(void *read) {
    unsigned before = ((counter)read)();
    for (unsigned i = 0; i < 1 + before / 64 % 4; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    usleep(1500);
    assert(((counter)read)() - before >= 1500000);
    return NULL;
}

int main(void) {
    pthread_t thread;
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(code != MAP_FAILED);
    for (unsigned i = 0; i < sizeof disguised; i++)
        code[i] = disguised[i] + 1;
    assert(mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0);
    pthread_create(&thread, NULL, steps, code);
    steps(code);
    pthread_join(thread, NULL);
    return 0;
}
