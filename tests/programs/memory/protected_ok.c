/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * outcomes: 0:"3\n"
 *
 * Memory is made writable, and then handed to another thread; a page beside it is in use meanwhile. To protect memory is
 * no access that could be a data race.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static int *shared;
static sem_t ready;

static void *writes(void *unused) {
    shared[PAGE / sizeof(int)] = 1;
    sem_wait(&ready);
    shared[0] = 2;
    return unused;
}

int main(void) {
    pthread_t other;
    sem_init(&ready, 0, 0);
    shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(shared, PAGE, PROT_NONE);
    pthread_create(&other, NULL, writes, NULL);
    mprotect(shared, 2 * PAGE, PROT_READ | PROT_WRITE);
    sem_post(&ready);
    pthread_join(other, NULL);
    printf("%d\n", shared[0] + shared[PAGE / sizeof(int)]);
    return 0;
}
